"""The gradients of a student's function or module, taken by PyTorch in the student's process."""


def take(target, args, kwargs, cotangents):
    """Call the target and differentiate Σ output · cotangent.

    args: tensors among them get a gradient where they hold floating-point numbers. cotangents: one tensor for each tensor that the target
    returns, in order. Returns (value, [gradient of each argument or None], {name: gradient of each parameter of a module}).
    """
    import torch

    args = [value.detach().clone().requires_grad_() if differentiable(value) else value for value in args]
    parameters = dict(target.named_parameters()) if isinstance(target, torch.nn.Module) else {}
    for parameter in parameters.values():
        parameter.grad = None
    value = target(*args, **kwargs)
    outputs = [value] if isinstance(value, torch.Tensor) else [one for one in value if isinstance(one, torch.Tensor)]
    torch.autograd.backward(outputs, [cotangent.to(output.dtype) for output, cotangent in zip(outputs, cotangents, strict=True)])
    of_arguments = [value.grad if differentiable(value) else None for value in args]
    return value, of_arguments, {name: parameter.grad for name, parameter in parameters.items()}


def differentiable(value):
    """Whether a value is a tensor of floating-point numbers."""
    import torch

    return isinstance(value, torch.Tensor) and value.is_floating_point()
