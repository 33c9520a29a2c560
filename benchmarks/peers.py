"""The workloads in other libraries: HIPS autograd, JAX (jitted) and PyTorch.

`contender(library, name, args)` returns a function and its arguments; calling the one with the
other gives `(value, gradients)`.  For autograd and JAX the text of `workloads.py` is loaded a
second time with `np` (and `sg`) standing for theirs, and only what they cannot run, or run far
slower than their users would write it, is replaced here.  The libraries are imported on demand.
"""

import importlib.util
import math
from types import SimpleNamespace

import numpy as np

import workloads


def contender(library, name, args):
    return {"autograd": autograd, "jax": jax, "torch": torch}[library](name, args)


def workloads_over(**replacements):
    """A second copy of the workloads module with some of its global names replaced."""
    spec = importlib.util.spec_from_file_location("workloads_copy", workloads.__file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module).update(replacements)
    return module


def derivative(module, name, value_and_grad):
    """The function of the workload's inputs that returns value and derivative."""
    workload = workloads.WORKLOADS[name]
    if workload.program:
        return getattr(module, workload.program.__name__)
    return value_and_grad(getattr(module, workload.function.__name__), workload.argnums)


def laplacian(u):
    return u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]


# ---------------------------------------------------------------- HIPS autograd
def autograd(name, args):
    import autograd
    import autograd.numpy as anp
    from autograd.scipy.linalg import solve_triangular

    def conv2d(x, weight, bias):
        n, c, h, w = x.shape
        padded = anp.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), "constant")
        shifted = [padded[:, :, i : i + h, j : j + w] for i in range(3) for j in range(3)]
        columns = anp.transpose(anp.concatenate(shifted, axis=1), (0, 2, 3, 1))
        columns = anp.reshape(columns, (n * h * w, 9 * c))
        out = columns @ anp.reshape(anp.transpose(weight, (2, 3, 1, 0)), (9 * c, -1)) + bias
        return anp.transpose(anp.reshape(out, (n, h, w, -1)), (0, 3, 1, 2))

    def heat(u, c, steps):
        for _ in range(steps):
            u = u + anp.pad(c * laplacian(u), ((1, 1), (1, 1)), "constant")
        return 0.5 * anp.sum(u**2)

    def lower_triangular(log_diagonal, below):
        k, d = log_diagonal.shape
        source = np.full(
            (d, d), below.shape[1]
        )  # position in `below`; past its end is zero
        source[np.tril_indices(d, -1)] = np.arange(below.shape[1])
        padded = anp.concatenate([below, np.zeros((k, 1))], axis=1)
        return padded[:, source] + anp.exp(log_diagonal)[:, :, None] * np.eye(d)

    module = workloads_over(
        np=anp,
        sg=SimpleNamespace(grad=autograd.grad, hessian=autograd.hessian),
        solve_triangular=solve_triangular,
        conv2d=conv2d,
        heat=heat,
        lower_triangular=lower_triangular,
    )
    hvp = autograd.hessian_vector_product(module.rosenbrock)
    module.rosenbrock_hvp = lambda x, v: (module.rosenbrock(x), hvp(x, v))
    return derivative(module, name, autograd.value_and_grad), args


# ---------------------------------------------------------------- JAX
def jax(name, args):
    import jax
    import jax.numpy as jnp

    def conv2d(x, weight, bias):
        layout = ("NCHW", "OIHW", "NCHW")
        out = jax.lax.conv_general_dilated(
            x, weight, (1, 1), "SAME", dimension_numbers=layout
        )
        return out + bias[:, None, None]

    def heat(u, c, steps):
        def step(u, _):
            return u.at[1:-1, 1:-1].add(c * laplacian(u)), None

        return 0.5 * jnp.sum(jax.lax.scan(step, u, None, length=steps)[0] ** 2)

    def recurrence(x, a, steps, dt):
        def step(x, t):
            return x + dt * (a - x**3 + jnp.sin(t * dt)), None

        return jax.lax.scan(step, x, jnp.arange(steps))[0]

    def lower_triangular(log_diagonal, below):
        k, d = log_diagonal.shape
        rows, columns = np.tril_indices(d, -1)
        out = jnp.zeros((k, d, d)).at[:, rows, columns].set(below)
        return out + jnp.exp(log_diagonal)[:, :, None] * jnp.eye(d)

    def lstm_loss(w, u, b, x):
        n = len(u)

        def step(state, x_t):
            h, c = state
            z = x_t @ w + h @ u + b
            s, g = jax.nn.sigmoid(z[:, : 3 * n]), jnp.tanh(z[:, 3 * n :])
            c = s[:, n : 2 * n] * c + s[:, :n] * g
            return (s[:, 2 * n :] * jnp.tanh(c), c), None

        zero = jnp.zeros((x.shape[1], n))
        (h, _), _ = jax.lax.scan(step, (zero, zero), x)
        return 0.5 * jnp.sum(h**2)

    module = workloads_over(
        np=jnp,
        sg=jax,
        solve_triangular=jax.scipy.linalg.solve_triangular,
        conv2d=conv2d,
        heat=heat,
        recurrence=recurrence,
        lower_triangular=lower_triangular,
        lstm_loss=lstm_loss,
    )
    static = tuple(i for i, a in enumerate(args) if isinstance(a, int))
    compiled = jax.jit(derivative(module, name, jax.value_and_grad), static_argnums=static)
    args = [jnp.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
    return lambda *args: jax.block_until_ready(compiled(*args)), args


# ---------------------------------------------------------------- PyTorch
def torch(name, args):
    import torch

    torch.set_num_threads(1)
    workload = workloads.WORKLOADS[name]
    args = [torch.from_numpy(a.copy()) if isinstance(a, np.ndarray) else a for a in args]
    if workload.program:
        return torch_second_order(torch)[name], args
    for i in workload.argnums:
        args[i] = torch.as_tensor(args[i], dtype=getattr(torch, workload.dtype))
        args[i].requires_grad_(True)
    wanted = [args[i] for i in workload.argnums]
    function = torch_functions(torch)[name]

    def value_and_grad(*args):
        value = function(*args)
        return value.detach(), torch.autograd.grad(value, wanted)

    return value_and_grad, args


def torch_second_order(torch):
    def rosenbrock_hvp(x, v):
        x = x.clone().requires_grad_(True)
        value = torch.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
        (g,) = torch.autograd.grad(value, x, create_graph=True)
        return value.detach(), torch.autograd.grad(g, x, v)[0]

    def logistic_loss(w, x, y):
        softplus = torch.nn.functional.softplus
        return softplus(-y * (x @ w)).mean() + 0.005 * (w * w).sum()

    def logistic_hessian(w, x, y):
        return logistic_loss(w, x, y), torch.func.hessian(logistic_loss)(w, x, y)

    return {"w10a": rosenbrock_hvp, "w10b": logistic_hessian}


def torch_functions(torch):
    nn = torch.nn.functional

    def scalar_function(x):
        return torch.sin(x) * torch.exp(-x * x) / (1 + x * x)

    def elementwise(x, a, b):
        return torch.sum(torch.tanh(a * x + b) * torch.exp(-(x**2)) + torch.sqrt(1 + x**2))

    def mlp_loss(x, labels, w1, b1, w2, b2, w3, b3):
        h = torch.relu(torch.addmm(b1, x, w1))
        h = torch.relu(torch.addmm(b2, h, w2))
        return nn.cross_entropy(torch.addmm(b3, h, w3), labels)

    def attention_loss(x, wq, wk, wv, wo, target, heads):
        length, width = x.shape

        def split(z):
            return z.view(length, heads, width // heads).transpose(0, 1)

        q, k, v = split(x @ wq), split(x @ wk), split(x @ wv)
        p = torch.softmax(q @ k.transpose(1, 2) / math.sqrt(width // heads), -1)
        return (((p @ v).transpose(0, 1).reshape(length, width) @ wo - target) ** 2).mean()

    def critic(x, w1, b1, w2, b2, w3, b3):
        h = nn.avg_pool2d(nn.leaky_relu(nn.conv2d(x, w1, b1, padding=1), 0.2), 2)
        h = nn.avg_pool2d(nn.leaky_relu(nn.conv2d(h, w2, b2, padding=1), 0.2), 2)
        return h.flatten(1) @ w3 + b3

    def r1_loss(x, w1, b1, w2, b2, w3, b3, gamma):
        x = x.detach().requires_grad_(True)
        scores = critic(x, w1, b1, w2, b2, w3, b3)
        (g_x,) = torch.autograd.grad(scores.sum(), x, create_graph=True)
        return nn.softplus(-scores).mean() + gamma / 2 * g_x.square().sum((1, 2, 3)).mean()

    def heat(u0, c, steps):
        u = u0.clone()
        for _ in range(steps):
            u[1:-1, 1:-1] += c * laplacian(u)
        return 0.5 * (u**2).sum()

    def gmm_loglikelihood(alphas, means, icf, x):
        n, d = x.shape
        log_diagonal, below = icf[:, :d], icf[:, d:]
        rows, columns = np.tril_indices(d, -1)
        q = torch.zeros((len(alphas), d, d), dtype=x.dtype)
        q[:, rows, columns] = below
        q = q + torch.diag_embed(log_diagonal.exp())
        y = q @ (x - means[:, None]).transpose(1, 2)
        z = (alphas + log_diagonal.sum(1))[:, None] - 0.5 * (y * y).sum(1)
        prior = -0.5 * ((log_diagonal.exp() ** 2).sum() + (below**2).sum())
        constant = -0.5 * n * d * math.log(2 * math.pi)
        mixture = torch.logsumexp(z, 0).sum() - n * torch.logsumexp(alphas, 0)
        return constant + mixture + prior

    def lstm_loss(w, u, b, x):
        steps, batch, _ = x.shape
        n = len(u)
        h = torch.zeros((batch, n), dtype=x.dtype)
        c = torch.zeros((batch, n), dtype=x.dtype)
        for t in range(steps):
            z = x[t] @ w + h @ u + b
            s, g = torch.sigmoid(z[:, : 3 * n]), torch.tanh(z[:, 3 * n :])
            c = s[:, n : 2 * n] * c + s[:, :n] * g
            h = s[:, 2 * n :] * torch.tanh(c)
        return 0.5 * (h**2).sum()

    def embedding_bag_loss(table, indices, target):
        return 0.5 * ((table[indices].sum(1) - target) ** 2).sum()

    def gp_loss(length, noise, x, y):
        n = len(y)
        squared_distance = ((x[:, None] - x[None]) ** 2).sum(-1)
        identity = torch.eye(n, dtype=x.dtype)
        kernel = torch.exp(-0.5 * squared_distance / length**2) + noise**2 * identity
        chol = torch.linalg.cholesky(kernel)
        z = torch.linalg.solve_triangular(chol, y[:, None], upper=False)[:, 0]
        log_det = torch.log(torch.diagonal(chol)).sum()
        return 0.5 * z @ z + log_det + 0.5 * n * math.log(2 * math.pi)

    return {
        "w1": scalar_function,
        "w2": elementwise,
        "w3": mlp_loss,
        "w4": attention_loss,
        "w5": r1_loss,
        "w6": heat,
        "w7": workloads.recurrence,
        "w8": gmm_loglikelihood,
        "w9": lstm_loss,
        "w11": embedding_bag_loss,
        "w12": gp_loss,
    }
