"""The notebooks that run in the reader's browser: JupyterLite, whose kernel is Python itself compiled for browsers (Pyodide).

`pyodide.py` gets Pyodide, `application.py` makes JupyterLite once for all languages, `pages.py` gives each language its page `try/`
with its notebooks, and `put.py` lays all that into the site.
"""
