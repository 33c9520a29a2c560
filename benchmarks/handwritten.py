"""Value and gradient of every workload, written by hand in NumPy.

This is the target: what a careful engineer writes with the mathematics in hand, using buffers
again where that helps.  Each function takes the workload's inputs and returns
`(value, gradients)`, the gradients in the order of the workload's `argnums` (for w10a the
Hessian-vector product, for w10b the Hessian).  `bench.py --self-test` checks them all against
central differences.  The arguments are never changed.
"""

import math

import numpy as np

try:
    from scipy.linalg import lapack
except ImportError:  # only w12 needs SciPy
    lapack = None


def scalar_function(x):
    square = x * x
    sine, gauss, denominator = np.sin(x), np.exp(-square), 1 + square
    product = sine * gauss
    value = product / denominator
    g_product = 1 / denominator
    g_square = -(g_product * product + value / denominator)
    return value, (g_product * gauss * np.cos(x) + g_square * 2 * x,)


def elementwise(x, a, b):
    t = a * x
    t += b
    np.tanh(t, out=t)
    root = x * x
    e = np.negative(root)
    np.exp(e, out=e)
    root += 1
    np.sqrt(root, out=root)
    value = t @ e + root.sum()
    # backward: x / root - 2 x t e, then the part that comes through tanh
    g_x = np.divide(x, root, out=root)
    te = t * e
    te *= x
    te *= 2
    g_x -= te
    t *= t
    g_t = np.subtract(1, t, out=t)
    g_t *= e
    g_a, g_b = g_t @ x, g_t.sum()
    g_t *= a
    g_x += g_t
    return value, (g_x, g_a, g_b)


def mlp_loss(x, labels, w1, b1, w2, b2, w3, b3):
    n = len(labels)
    samples = np.arange(n)
    h1 = x @ w1
    h1 += b1
    np.maximum(h1, 0, out=h1)
    h2 = h1 @ w2
    h2 += b2
    np.maximum(h2, 0, out=h2)
    z = h2 @ w3
    z += b3
    z -= z.max(axis=1, keepdims=True)
    e = np.exp(z)
    total = e.sum(axis=1, keepdims=True)
    value = (np.log(total[:, 0]) - z[samples, labels]).mean()
    # backward: softmax minus one-hot, the masks are h > 0
    g_z = e
    g_z /= total
    g_z[samples, labels] -= 1
    g_z *= 1 / n
    g_h2 = g_z @ w3.T
    g_h2 *= h2 > 0
    g_h1 = g_h2 @ w2.T
    g_h1 *= h1 > 0
    return value, (
        x.T @ g_h1, g_h1.sum(axis=0),
        h1.T @ g_h2, g_h2.sum(axis=0),
        h2.T @ g_z, g_z.sum(axis=0),
    )  # fmt: skip


def attention_loss(x, wq, wk, wv, wo, target, heads):
    length, width = x.shape
    d = width // heads
    scale = 1 / math.sqrt(d)
    w = np.concatenate([wq, wk, wv], axis=1)  # one product for q, k and v
    qkv = (x @ w).reshape(length, 3, heads, d).transpose(1, 2, 0, 3)
    q, k, v = np.ascontiguousarray(qkv)
    p = q @ k.transpose(0, 2, 1)
    p *= scale
    p -= p.max(axis=-1, keepdims=True)
    np.exp(p, out=p)
    p /= p.sum(axis=-1, keepdims=True)
    mixed = (p @ v).transpose(1, 0, 2).reshape(length, width)
    r = mixed @ wo
    r -= target
    value = (r.ravel() @ r.ravel()) / r.size
    # backward
    r *= 2 / r.size
    g_wo = mixed.T @ r
    g_mixed = (r @ wo.T).reshape(length, heads, d).transpose(1, 0, 2)
    g_mixed = np.ascontiguousarray(g_mixed)
    g_q, g_k, g_v = g = np.empty((3, heads, length, d), x.dtype)
    np.matmul(p.transpose(0, 2, 1), g_mixed, out=g_v)
    g_p = g_mixed @ v.transpose(0, 2, 1)
    g_p -= np.einsum("hij,hij->hi", g_p, p)[:, :, None]
    g_p *= p
    g_p *= scale
    np.matmul(g_p, k, out=g_q)
    np.matmul(g_p.transpose(0, 2, 1), q, out=g_k)
    g_qkv = g.transpose(2, 0, 1, 3).reshape(length, 3 * width)
    g_w = x.T @ g_qkv
    g_wq, g_wk, g_wv = g_w[:, :width], g_w[:, width : 2 * width], g_w[:, 2 * width :]
    return value, (g_qkv @ w.T, g_wq, g_wk, g_wv, g_wo)


# ---------------------------------------------------------------- R1 penalty, channels last
def im2col(x):
    """Columns of the 3x3 windows of x (n, h, w, c): (n h w, 9 c), ordered (row, column, c)."""
    n, h, w, c = x.shape
    padded = np.zeros((n, h + 2, w + 2, c), x.dtype)
    padded[:, 1:-1, 1:-1] = x
    columns = np.empty((n, h, w, 3, 3, c), x.dtype)
    for i in range(3):
        for j in range(3):
            columns[:, :, :, i, j] = padded[:, i : i + h, j : j + w]
    return columns.reshape(n * h * w, 9 * c)


def col2im(columns, shape):
    """The adjoint of im2col; shape is the image's (n, h, w, c)."""
    n, h, w, c = shape
    columns = columns.reshape(n, h, w, 3, 3, c)
    padded = np.zeros((n, h + 2, w + 2, c), columns.dtype)
    for i in range(3):
        for j in range(3):
            padded[:, i : i + h, j : j + w] += columns[:, :, :, i, j]
    return padded[:, 1:-1, 1:-1]


def pool(x):
    """Mean over 2x2 squares."""
    t = x[:, :, ::2] + x[:, :, 1::2]
    t = t[:, ::2] + t[:, 1::2]
    t *= 0.25
    return t


def unpool(g, slope):
    """The adjoint of pool, times the slope of the activation before it."""
    n, h, w, c = g.shape
    wide = slope.reshape(n, h, 2, w, 2, c) * (0.25 * g)[:, :, None, :, None]
    return wide.reshape(slope.shape)


def leaky_relu(h):
    """Leaky ReLU in place; returns it and its slope."""
    one, leak = h.dtype.type(1), h.dtype.type(0.2)
    slope = np.where(h > 0, one, leak)
    h *= slope
    return h, slope


def r1_loss(x, w1, b1, w2, b2, w3, b3, gamma):
    n, c0, h, w = x.shape
    c1, c2 = len(b1), len(b2)
    a1 = w1.transpose(2, 3, 1, 0).reshape(9 * c0, c1)
    a2 = w2.transpose(2, 3, 1, 0).reshape(9 * c1, c2)
    a3 = np.ascontiguousarray(w3.reshape(c2, h // 4, w // 4).transpose(1, 2, 0))
    # critic
    columns1 = im2col(np.ascontiguousarray(x.transpose(0, 2, 3, 1)))
    z1 = columns1 @ a1
    z1 += b1
    h1, slope1 = leaky_relu(z1.reshape(n, h, w, c1))
    columns2 = im2col(pool(h1))
    z2 = columns2 @ a2
    z2 += b2
    h2, slope2 = leaky_relu(z2.reshape(n, h // 2, w // 2, c2))
    features = pool(h2)
    scores = features.reshape(n, -1) @ a3.ravel() + b3
    # its gradient with respect to the images
    i2 = unpool(np.broadcast_to(a3, features.shape), slope2).reshape(-1, c2)
    i1 = unpool(col2im(i2 @ a2.T, (n, h // 2, w // 2, c1)), slope1).reshape(-1, c1)
    g_images = col2im(i1 @ a1.T, (n, h, w, c0))
    value = np.logaddexp(0, -scores).mean() + gamma / 2 * np.square(g_images).sum() / n
    # backward of the penalty: that gradient is linear in each factor, its adjoint runs forwards
    columns_r = im2col(g_images * (gamma / n))
    t = (columns_r @ a1).reshape(slope1.shape)
    t *= slope1
    columns_t = im2col(pool(t))
    u = (columns_t @ a2).reshape(slope2.shape)
    u *= slope2
    g_a1 = columns_r.T @ i1
    g_a2 = columns_t.T @ i2
    g_a3 = pool(u).sum(axis=0)
    # backward of the main term
    g_scores = (-1 / (1 + np.exp(scores)) / n).astype(x.dtype)
    g_a3 += np.tensordot(g_scores, features, 1)
    g_z2 = unpool(g_scores[:, None, None, None] * a3, slope2).reshape(-1, c2)
    g_a2 += columns2.T @ g_z2
    g_z1 = unpool(col2im(g_z2 @ a2.T, (n, h // 2, w // 2, c1)), slope1).reshape(-1, c1)
    g_a1 += columns1.T @ g_z1
    return value, (
        g_a1.reshape(3, 3, c0, c1).transpose(3, 2, 0, 1), g_z1.sum(axis=0),
        g_a2.reshape(3, 3, c1, c2).transpose(3, 2, 0, 1), g_z2.sum(axis=0),
        g_a3.transpose(2, 0, 1).ravel(), g_scores.sum(keepdims=True),
    )  # fmt: skip


# ---------------------------------------------------------------- loops
def heat(u0, c, steps):
    u = u0.copy()
    laplacians = np.empty((steps, *c.shape))  # all that the backward loop needs
    t = np.empty_like(c)
    for step in range(steps):
        laplacian = laplacians[step]
        np.multiply(u[1:-1, 1:-1], -4, out=laplacian)
        laplacian += u[:-2, 1:-1]
        laplacian += u[2:, 1:-1]
        laplacian += u[1:-1, :-2]
        laplacian += u[1:-1, 2:]
        np.multiply(laplacian, c, out=t)
        u[1:-1, 1:-1] += t
    value = 0.5 * np.vdot(u, u)
    # backward
    g_u = u
    g_c = np.zeros_like(c)
    inside = g_u[1:-1, 1:-1]
    for step in range(steps - 1, -1, -1):
        np.multiply(inside, laplacians[step], out=t)
        g_c += t
        np.multiply(inside, c, out=t)
        g_u[:-2, 1:-1] += t
        g_u[2:, 1:-1] += t
        g_u[1:-1, :-2] += t
        g_u[1:-1, 2:] += t
        t *= 4
        inside -= t
    return value, (g_u, g_c)


def recurrence(x, a, steps, dt):
    sin = math.sin
    history = []
    keep = history.append
    for t in range(steps):
        keep(x)
        x = x + dt * (a - x * x * x + sin(t * dt))
    # backward
    g_x, g_a, k = 1.0, 0.0, 3 * dt
    for y in reversed(history):
        g_a += g_x
        g_x -= k * g_x * y * y
    return x, (g_x, g_a * dt)


def gmm_loglikelihood(alphas, means, icf, x):
    n, d = x.shape
    k = len(alphas)
    rows, columns = np.tril_indices(d, -1)
    diagonal = np.arange(d)
    log_diagonal, below = icf[:, :d], icf[:, d:]
    e = np.exp(log_diagonal)
    q = np.zeros((k, d, d))
    q[:, diagonal, diagonal] = e
    q[:, rows, columns] = below
    y = (q.reshape(k * d, d) @ x.T).reshape(k, d, n)  # one product for all components
    y -= np.matmul(q, means[:, :, None])
    z = np.einsum("kdn,kdn->kn", y, y)
    z *= -0.5
    z += (alphas + log_diagonal.sum(axis=1))[:, None]
    top = z.max(axis=0)
    z -= top
    np.exp(z, out=z)
    total = z.sum(axis=0)
    top_alpha = alphas.max()
    exp_alpha = np.exp(alphas - top_alpha)
    total_alpha = exp_alpha.sum()
    value = -0.5 * n * d * math.log(2 * math.pi) + (np.log(total) + top).sum()
    value -= n * (math.log(total_alpha) + top_alpha)
    value -= 0.5 * (np.vdot(e, e) + np.vdot(below, below))
    # backward; z becomes the responsibilities, y minus its own gradient
    z /= total
    weight = z.sum(axis=1)
    g_alphas = weight - n * exp_alpha / total_alpha
    np.multiply(y, z[:, None], out=y)
    y_sum = y.sum(axis=2)
    minus_g_q = (y.reshape(k * d, n) @ x).reshape(k, d, d)
    minus_g_q -= y_sum[:, :, None] * means[:, None]
    g_means = np.matmul(y_sum[:, None], q)[:, 0]
    g_icf = np.empty_like(icf)
    g_icf[:, :d] = weight[:, None] - minus_g_q[:, diagonal, diagonal] * e - e * e
    g_icf[:, d:] = -minus_g_q[:, rows, columns] - below
    return value, (g_alphas, g_means, g_icf)


def lstm_loss(w, u, b, x):
    steps, batch, features = x.shape
    n = len(u)
    sig = slice(0, 3 * n)  # the gates i, f, o; the fourth block is g
    i, f, o, g = (slice(k * n, (k + 1) * n) for k in range(4))
    gates = (x.reshape(steps * batch, features) @ w).reshape(steps, batch, 4 * n)
    gates += b
    h = np.zeros((steps + 1, batch, n))
    c = np.zeros((steps + 1, batch, n))
    tanh_c = np.empty((steps, batch, n))
    t = np.empty((batch, n))
    recurrent = np.empty((batch, 4 * n))
    for step in range(steps):
        z = gates[step]
        np.matmul(h[step], u, out=recurrent)
        z += recurrent
        s = z[:, sig]
        s *= 0.5  # sigmoid(z) = (1 + tanh(z / 2)) / 2: one tanh for the four gates
        np.tanh(z, out=z)
        s *= 0.5
        s += 0.5
        np.multiply(z[:, f], c[step], out=c[step + 1])
        np.multiply(z[:, i], z[:, g], out=t)
        c[step + 1] += t
        np.tanh(c[step + 1], out=tanh_c[step])
        np.multiply(z[:, o], tanh_c[step], out=h[step + 1])
    value = 0.5 * np.vdot(h[-1], h[-1])
    # backward; the gates' gradients are kept, so that each weight takes one product at the end
    g_h = h[-1].copy()
    g_c = np.zeros((batch, n))
    g_gates = np.empty_like(gates)
    u_t = np.ascontiguousarray(u.T)
    for step in range(steps - 1, -1, -1):
        z, g_z, tc = gates[step], g_gates[step], tanh_c[step]
        np.multiply(g_h, tc, out=g_z[:, o])
        g_h *= z[:, o]
        np.multiply(tc, tc, out=t)
        np.subtract(1, t, out=t)
        g_h *= t
        g_c += g_h
        np.multiply(g_c, z[:, g], out=g_z[:, i])
        np.multiply(g_c, c[step], out=g_z[:, f])
        np.multiply(g_c, z[:, i], out=g_z[:, g])
        s = z[:, sig]
        g_z[:, sig] *= s - s * s
        np.multiply(z[:, g], z[:, g], out=t)
        np.subtract(1, t, out=t)
        g_z[:, g] *= t
        g_c *= z[:, f]
        np.matmul(g_z, u_t, out=g_h)
    g_z = g_gates.reshape(steps * batch, 4 * n)
    g_w = x.reshape(steps * batch, features).T @ g_z
    g_u = h[:-1].reshape(steps * batch, n).T @ g_z
    return value, (g_w, g_u, g_z.sum(axis=0))


# ---------------------------------------------------------------- second derivatives
def rosenbrock_hvp(x, v):
    a, v_a = x[:-1], v[:-1]
    d = a * a
    np.subtract(x[1:], d, out=d)
    e = 1 - a
    value = 100 * (d @ d) + e @ e
    t_d = a * v_a
    t_d *= -2
    t_d += v[1:]
    hv = np.empty_like(x)
    hv[-1] = 0
    head = hv[:-1]
    d *= v_a
    np.multiply(a, t_d, out=head)
    head += d
    head *= -400
    np.multiply(v_a, 2, out=d)
    head += d
    t_d *= 200
    hv[1:] += t_d
    return value, (hv,)


def logistic_hessian(w, x, y):
    n, d = x.shape
    margin = x @ w
    margin *= -y
    e = np.exp(-np.abs(margin))  # serves softplus and sigmoid
    value = (np.maximum(margin, 0) + np.log1p(e)).mean() + 0.005 * (w @ w)
    denominator = 1 + e
    denominator *= denominator
    e /= denominator  # p (1 - p)
    e *= 1 / n
    hessian = (x.T * e) @ x
    hessian.flat[:: d + 1] += 0.01
    return value, (hessian,)


# ---------------------------------------------------------------- gather, Cholesky
def embedding_bag_loss(table, indices, target):
    rows, width = table.shape
    bags, per_bag = indices.shape
    r = table[indices[:, 0]]
    for k in range(1, per_bag):
        r += table[indices[:, k]]
    r -= target
    value = 0.5 * np.vdot(r, r)
    # backward: bincount over flat positions is several times faster than np.add.at
    flat = (indices[:, :, None] * width + np.arange(width)).ravel()
    spread = np.broadcast_to(r[:, None], (bags, per_bag, width)).ravel()
    return value, (np.bincount(flat, spread, rows * width).reshape(rows, width),)


def gp_loss(length, noise, x, y):
    n = len(y)
    squared_distance = x @ x.T
    norms = np.diag(squared_distance).copy()
    squared_distance *= -2
    squared_distance += norms
    squared_distance += norms[:, None]
    r = squared_distance * (-0.5 / length**2)
    np.exp(r, out=r)
    kernel = r.copy()
    kernel.flat[:: n + 1] += noise * noise
    chol, _ = lapack.dpotrf(kernel.T, lower=1, overwrite_a=1, clean=0)
    weights, _ = lapack.dpotrs(chol, y, lower=1)
    value = (
        0.5 * (y @ weights) + np.log(np.diag(chol)).sum() + 0.5 * n * math.log(2 * math.pi)
    )
    # backward: gradient of the kernel is (K^-1 - weights weights') / 2, both symmetric
    inverse, _ = lapack.dpotri(chol, lower=1, overwrite_c=1)  # lower triangle only
    r *= squared_distance  # zero on the diagonal
    trace_r = 2 * np.vdot(np.tril(inverse), r)
    g_length = 0.5 / length**3 * (trace_r - weights @ (r @ weights))
    g_noise = noise * (np.trace(inverse) - weights @ weights)
    return value, (g_length, g_noise)


HANDWRITTEN = {
    "w1": scalar_function,
    "w2": elementwise,
    "w3": mlp_loss,
    "w4": attention_loss,
    "w5": r1_loss,
    "w6": heat,
    "w7": recurrence,
    "w8": gmm_loglikelihood,
    "w9": lstm_loss,
    "w10a": rosenbrock_hvp,
    "w10b": logistic_hessian,
    "w11": embedding_bag_loss,
    "w12": gp_loss,
}
