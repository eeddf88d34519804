"""Judging a student's PyTorch functions and modules against the reference's, the gradients too: the right numbers come from float64.

For hidden tests of PyTorch exercises alone: importing it imports torch.
"""

import copy

import torch

from autograder.hidden.judge import Wrong, expect, expect_names
from autograder.hidden.student import Reference
from autograder.messages import message

FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
ON_GPU = (torch.float32, torch.float16, torch.bfloat16)  # what tests of a GPU ask for


def tensor(numbers):
    """A float32 tensor of drawn numbers."""
    return torch.from_numpy(numbers).float()


def double(values):
    """The values, with tensors of floating-point numbers in float64."""
    return [value.double() if is_floating(value) else value for value in values]


def is_floating(value):
    """Whether a value is a tensor of floating-point numbers."""
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def compare(theirs, ours, *arguments, name="output"):
    """Judge a function's output against the reference's. The arguments go to both, in float64 to the reference."""
    magnitude = max((float(x.abs().max()) for x in arguments if is_floating(x) and x.numel()), default=1.0)
    expect(theirs(*arguments), ours(*double(arguments)).double(), low=ours(*arguments), magnitude=magnitude, name=name)


def compare_gradients(theirs, ours, cotangent, *arguments):
    """Judge the gradients of Σ output · cotangent with respect to each tensor of floating-point numbers."""
    outcome = theirs.gradients([cotangent], *arguments)
    want, low = (gradients(ours, like, *values) for like, values in ((cotangent.double(), double(arguments)), (cotangent, arguments)))
    for place, (right, approximate) in enumerate(zip(want, low), start=1):
        if right is not None:
            expect(outcome.arguments[place - 1], right, low=approximate, name=f"gradient {place}")


def gradients(function, cotangent, *arguments):
    """The gradient for each argument, None where it holds no floating-point numbers."""
    leaves = [x.detach().clone().requires_grad_() if is_floating(x) else x for x in arguments]
    function(*leaves).backward(cotangent)
    return [getattr(x, "grad", None) for x in leaves]


def require_parameters(theirs, names, module):
    """Raise Wrong unless the student's module has these parameters: without their names nobody can give it weights."""
    missing = getattr(theirs.load_state_dict({}, False), "missing_keys", None)  # of nothing all are missing; their numbers do not come along
    found = missing.get() if isinstance(missing, Reference) else ()
    absent = [name for name in names if name not in found] if isinstance(found, (tuple, list)) else names
    if absent:
        raise Wrong(message("`{module}` has no parameter {names}.", module=module, names=", ".join(absent)))


def compare_parameters(theirs, ours, draw, name):
    """Judge the shapes and the names of a module's parameters, w_q, w_k and so on, by those of `ours`; how they begin is free."""
    want = ours.state_dict()
    weights = [one for one in want if one.endswith("weight")]
    require_parameters(theirs, weights, name)
    for one in weights:
        zeros = torch.zeros_like(want[one])
        expect(getattr(theirs, one.removesuffix(".weight")).weight.masked_fill(torch.tensor(True), 0), zeros.double(), low=zeros, name=one)
    numbers = {one: tensor(draw.normal(tuple(weight.shape))) for one, weight in want.items()}
    numbers |= {one.replace("weight", "bias"): tensor(draw.normal(tuple(want[one].shape[:1]))) for one in weights}
    theirs.load_state_dict(numbers, False)  # known numbers, so that a diagnosis can compare them; biases too, for whoever has some
    found = theirs.state_dict()
    expect_names([one for one in found if one.startswith("w_") or one.endswith("bias")], want, name)
    for one in want:  # a layer that has two names cannot have the numbers of both
        expect(found[one], numbers[one].double(), low=numbers[one], name=one)


def modules(theirs, ours, draw, *arguments, alike=False, even=False):
    """The student's module and the reference's, made by these classes from the same arguments, with the same weights.

    For tests that are about something else, so that a solution loses points where its fault is named. alike: w_v is w_k, symmetric where it
    is square, and w_o the identity, so that taking one layer for another does not show. even: queries of nought, which find all keys alike,
    so that the scale does not show.
    """
    module = ours(*arguments)
    weights = {name: tensor(draw.normal(tuple(weight.shape))) / weight.shape[-1] ** 0.5 for name, weight in module.state_dict().items()}
    if alike:
        keys = weights["w_k.weight"]
        keys = (keys + keys.mT) / 2 if keys.shape[0] == keys.shape[1] else keys
        weights |= {"w_k.weight": keys, "w_v.weight": keys, "w_o.weight": torch.eye(len(weights["w_o.weight"]))}
    if even:
        weights["w_q.weight"] = torch.zeros_like(weights["w_q.weight"])
    module.load_state_dict(weights)
    student = theirs(*arguments)
    require_parameters(student, [name for name in weights if name.endswith("weight")], type(module).__name__)
    # Biases that nobody has asked for cost points where the parameters are tested. Not strict: a buffer of the student's own does no harm.
    biases = {name.replace("weight", "bias"): torch.zeros(len(weight)) for name, weight in weights.items() if name.endswith("weight")}
    student.load_state_dict(biases | weights, False)
    return student, module


def compare_modules(theirs, ours, x, mask=None):
    """Judge a module's output against the reference's."""
    rest = () if mask is None else (mask,)
    expect(theirs(x, *rest), wide(ours)(x.double(), *rest).detach(), low=ours(x, *rest).detach())


def compare_module_gradients(theirs, ours, cotangent, x, mask=None):
    """Judge the gradients for a module's input and for its parameters.

    What is small beside the largest of them is measured by that one: keys' biases are nothing to a softmax but for rounding, and a single
    number may be what is left of many that cancel.
    """
    found = module_gradients(theirs, ours, cotangent, x, mask)
    largest = max(float(want.abs().max()) for _, want, _ in found.values())
    for name, (got, want, low) in found.items():
        shift = largest if float(want.abs().max()) < 0.1 * largest else 0
        got = got + shift if isinstance(got, torch.Tensor) and got.shape == want.shape else got
        expect(got, want + shift, low=low + shift, name=f"gradient of {name}")


def module_gradients(theirs, ours, cotangent, x, mask=None):
    """{"x" or a parameter's name: (the student's gradient, the right one, the reference's in the input's precision)}."""
    rest = () if mask is None else (mask,)
    outcome = theirs.gradients([cotangent], x, *rest)
    got = {"x": outcome.arguments[0], **outcome.parameters}
    want, low = layer_gradients(wide(ours), cotangent.double(), x.double(), *rest), layer_gradients(ours, cotangent, x, *rest)
    return {name: (got.get(name), want[name], low[name]) for name in want}


def layer_gradients(layer, cotangent, x, *rest):
    """The gradients of Σ output · cotangent for a module's input, "x", and for its parameters, by their names."""
    layer.zero_grad()
    x = x.detach().clone().requires_grad_()
    layer(x, *rest).backward(cotangent)
    return {"x": x.grad} | {name: parameter.grad for name, parameter in layer.named_parameters()}


def in_dtype(theirs, ours, dtype):
    """The student's module and the reference's, both in another dtype; the student's is changed itself, a copy of the reference's is made."""
    theirs.to(dtype)
    ours = copy.deepcopy(ours).to(dtype)
    theirs.load_state_dict(ours.state_dict(), False)
    return theirs, ours


def wide(module):
    """A copy of a module in float64."""
    return copy.deepcopy(module).double()


def mask_shapes(batch, n_heads, n_tokens):
    """Shapes of masks that broadcast to (B, H, T, T)."""
    square = (n_tokens, n_tokens)
    return square, (batch, 1, 1, n_tokens), (n_heads, *square), (batch, 1, *square), (batch, n_heads, 1, n_tokens)
