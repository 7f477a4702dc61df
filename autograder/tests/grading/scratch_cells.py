"""Cells as people leave them below their answers: imports, magics, plots, experiments, names used again."""

CELLS = {
    "use a name again": "{question} = {question}",
    "call an answer, and keep the result under its name": "{question} = torch.ones(3)",
    "an experiment with a second definition": "def {question}(*args, **kwargs):\n    return None",
    "a class of the same name": "class {question}:\n    pass",
    "redefine everything": "{redefinitions}",
    "redefine everything by classes": "{classes}",
    "delete everything": "{deletions}",
    "clear all variables": "%reset -f",
    "clear all variables, and import again": "%reset -f\nimport torch\nfrom torch import Tensor, nn",
    "clear the output's history": "%reset -f out",
    "delete a name by a magic": "%xdel {question}",
    "forget by globals": "for name in [n for n in globals() if n[0] != '_']:\n    globals().pop(name)",
    "import all names of torch": "from torch import *",
    "import all names of functional": "from torch.nn.functional import *",
    "import all names of math": "from math import *\nfrom numpy import *",
    "hide Python's own names": "range = 5\nlen = sum = max = min = zip = list = enumerate = print = 0",
    "hide Python's types": "float = int = tuple = dict = isinstance = super = sorted = abs = str = None",
    "hide the packages": "import re as torch\nnn = math = F = Tensor = np = None",
    "single letters": "a = b = c = d = e = i = j = k = n = m = q = t = v = w = x = y = z = T = B = C = H = 7",
    "words of lessons": "scores = weights = keys = queries = values = mask = heads = "
    "tokens = inputs = dim = 7",
    "a layer in the place of nn": "nn = torch.nn.Linear(4, 2)\ntorch = 3",
    "compile": "import re\nword = re.compile(r'\\w+')\ncode = compile('1 + 1', '', 'eval')\neval(code)",
    "compile a layer": "layer = torch.compile(torch.nn.Linear(2, 2))\n"
    "fast = torch.jit.script(torch.nn.ReLU())",
    "inspect": "import inspect\nprint(inspect.signature({question}))\nprint(inspect.getmembers(torch)[:1])",
    "look around": "vars(), globals().keys(), locals().keys(), dir()\n"
    "print(getattr({question}, '__' + 'name__'))",
    "ask for help": "{question}?\ntorch.softmax??\n?print",
    "type checkers": "%load_ext nb_mypy\nfrom beartype import beartype\n"
    "from jaxtyping import Float, jaxtyped",
    "a decorator that is missing": "import numba\n@numba.njit\ndef fast(x):\n    return x + 1",
    "exceptions": "try:\n    1 / 0\nexcept ZeroDivisionError as ex:\n    print('no', ex)\nraise ValueError",
    "an error": "1 / 0",
    "a syntax error": "def {question}(x:\n    return",
    "push and pickle": "import pickle\nclass Stack(list):\n    def push(self, x):\n        self.append(x)\n"
    "pickle.loads(pickle.dumps(Stack([1])))",
    "threads": "import threading\nworker = threading.Thread(target=print)\nworker.start()\nworker.join()",
    "a plot": "import matplotlib.pyplot as plt\nplt.plot([1, 2], [3, 4])\nplt.show()",
    "more plots": "import seaborn as sns\nimport matplotlib.pyplot as plt\nplt.imshow([[1, 2], [3, 4]])",
    "time": "%timeit -n 1 -r 1 sum(range(3))\n%time sum(range(3))",
    "time a cell": "%%time\nfor step in range(3):\n    print(step)",
    "shell": "!pip install einops\n!nvidia-smi\nfiles = !ls",
    "a shell cell": "%%bash\necho on",
    "a magic that is missing": "%load_ext tensorboard\n%tensorboard --logdir runs",
    "a file": "%%writefile notes.py\ndef {question}(x):\n    return None",
    "a file that hides a module": "%%writefile torch.py\nsoftmax = None",
    "data from a file": "text = open('shakespeare.txt').read()\nvocabulary = sorted(set(text))",
    "seeds and modes": "torch.manual_seed(1)\ntorch.set_grad_enabled(False)\n"
    "torch.set_default_dtype(torch.float64)",
    "settings": "torch.set_printoptions(precision=2)\nimport warnings\nwarnings.filterwarnings('error')",
    "anomalies": "torch.autograd.set_detect_anomaly(True)\ntorch.use_deterministic_algorithms(True)",
    "a device": "device = 'cuda' if torch.cuda.is_available() else 'cpu'\ntorch.set_default_device(device)",
    "a training": "layer = torch.nn.Linear(2, 1)\nsteps = torch.optim.Adam(layer.parameters())\n"
    "for step in range(3):\n    loss = layer(torch.ones(2)).sum()\n    loss.backward()\n    steps.step()",
    "a long table": "table = [" + "1.25, " * 9000 + "]",
    "a recursion limit": "import sys\nsys.setrecursionlimit(5000)",
    "input": "name = input('Who are you?')",
}


def scratch_cells(questions: list[str]) -> dict[str, str]:
    """Return the cells by name, about these questions; what concerns a single one concerns the last."""
    words = {
        "question": questions[-1],
        "redefinitions": "\n".join(f"{name} = None" for name in [*questions, "torch", "nn", "Tensor", "F"]),
        "classes": "\n".join(f"class {name}: pass" for name in questions),
        "deletions": "\n".join(f"del {name}" for name in questions) + "\ndel torch",
    }
    return {name: text if name == "a long table" else _filled(text, words) for name, text in CELLS.items()}


def _filled(text: str, words: dict[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(f"{{{word}}}", value)
    return text
