"""Physics in time: flow in a channel, bodies that attract each other, steps and events."""

# ruff: noqa: N803  (the letters that formulas have)
from __future__ import annotations

import numpy as np

import symgrad as sg

from .kernel import Kernel, uniform


def build_up_b(rho, dt, dx, dy, u, v):
    """The right side of the pressure equation; periodic along x."""
    b = np.zeros_like(u)
    b[1:-1, 1:-1] = rho * (
        1
        / dt
        * (
            (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)
            + (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)
        )
        - ((u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)) ** 2
        - 2
        * (
            (u[2:, 1:-1] - u[:-2, 1:-1])
            / (2 * dy)
            * (v[1:-1, 2:] - v[1:-1, :-2])
            / (2 * dx)
        )
        - ((v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)) ** 2
    )
    b[1:-1, -1] = rho * (
        1
        / dt
        * ((u[1:-1, 0] - u[1:-1, -2]) / (2 * dx) + (v[2:, -1] - v[:-2, -1]) / (2 * dy))
        - ((u[1:-1, 0] - u[1:-1, -2]) / (2 * dx)) ** 2
    )
    return b


def pressure(nit, p, dx, dy, b):
    """Relaxes the pressure in place."""
    for _ in range(nit):
        pn = p.copy()
        p[1:-1, 1:-1] = (
            (pn[1:-1, 2:] + pn[1:-1, :-2]) * dy**2 + (pn[2:, 1:-1] + pn[:-2, 1:-1]) * dx**2
        ) / (2 * (dx**2 + dy**2)) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
        p[1:-1, -1] = (
            (pn[1:-1, 0] + pn[1:-1, -2]) * dy**2 + (pn[2:, -1] + pn[:-2, -1]) * dx**2
        ) / (2 * (dx**2 + dy**2)) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, -1]
        p[-1, :] = p[-2, :]
        p[0, :] = p[1, :]


def step(u, un, other, p_step, dt, dx, dy, nu, force):
    """One velocity in the inside of the channel."""
    u[1:-1, 1:-1] = (
        un[1:-1, 1:-1]
        - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, :-2])
        - other[1:-1, 1:-1] * dt / dy * (un[1:-1, 1:-1] - un[:-2, 1:-1])
        - p_step
        + nu
        * (
            dt / dx**2 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, :-2])
            + dt / dy**2 * (un[2:, 1:-1] - 2 * un[1:-1, 1:-1] + un[:-2, 1:-1])
        )
        + force * dt
    )


def channel_flow(nit, u, v, dt, dx, dy, p, rho, nu, force):
    """Navier-Stokes between two walls until the flow hardly changes any more."""
    change = 1.0
    steps = 0
    while change > 0.08:
        un = u.copy()
        vn = v.copy()
        b = build_up_b(rho, dt, dx, dy, u, v)
        pressure(nit, p, dx, dy, b)
        along = dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, :-2])
        step(u, un, vn, along, dt, dx, dy, nu, force)
        across = dt / (2 * rho * dy) * (p[2:, 1:-1] - p[:-2, 1:-1])
        step(v, vn, un, across, dt, dx, dy, nu, 0.0)
        u[1:-1, -1] = un[1:-1, -1] + force * dt
        u[1:-1, 0] = u[1:-1, -1]
        v[1:-1, -1] = vn[1:-1, -1]
        u[0, :] = 0
        u[-1, :] = 0
        v[0, :] = 0
        v[-1, :] = 0
        change = (np.sum(u) - np.sum(un)) / np.sum(u)
        steps += 1
    return steps


def channel_args(rng):
    """Hardly any flow yet."""
    u, v, p = uniform(rng, (5, 6), (5, 6), (5, 6))
    return 3, 0.1 * u, 0.05 * v, 0.05, 0.4, 0.5, p, 1.0, 0.1, 1.0


def acceleration(pos, mass, G, softening):
    """Of each body by all others; r^-3 only where r is not 0."""
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inv_r3 = dx**2 + dy**2 + dz**2 + softening**2
    mask = inv_r3 > 0
    inv_r3[mask] = inv_r3[mask] ** (-1.5)
    ax = G * (dx * inv_r3) @ mass
    ay = G * (dy * inv_r3) @ mass
    az = G * (dz * inv_r3) @ mass
    return np.hstack((ax, ay, az))


def energies(pos, vel, mass, G):
    """Kinetic and potential; the distances of a body to itself are exactly 0."""
    kinetic = 0.5 * np.sum(mass * vel**2)
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inv_r = np.sqrt(dx**2 + dy**2 + dz**2)
    inv_r[inv_r > 0] = 1.0 / inv_r[inv_r > 0]
    potential = G * np.sum(np.triu(-(mass * mass.T) * inv_r, 1))
    return kinetic, potential


def nbody(mass, pos, vel, steps, dt, G, softening):
    """Leapfrog; both energies after each step."""
    vel -= np.mean(mass * vel, axis=0) / np.mean(mass)
    acc = acceleration(pos, mass, G, softening)
    kinetic = np.zeros(steps + 1)
    potential = np.zeros(steps + 1)
    kinetic[0], potential[0] = energies(pos, vel, mass, G)
    for i in range(steps):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = acceleration(pos, mass, G, softening)
        vel += acc * dt / 2.0
        kinetic[i + 1], potential[i + 1] = energies(pos, vel, mass, G)
    return kinetic, potential


def nbody_args(rng):
    """Four bodies."""
    mass, pos, vel = uniform(rng, (4, 1), (4, 3), (4, 3))
    return mass, 2 * pos, vel, 3, 0.05, 0.8, 0.3


def rk4(f, y, t, h):
    """One step of the classical method."""
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def pendulum(y0, damping, h, steps):
    """A damped pendulum; the whole path is the result."""

    def slope(t, y):
        angle, speed = y
        return np.array([speed, -np.sin(angle) - damping * speed + 0.1 * np.cos(t)])

    path = np.empty((steps + 1, 2))
    path[0] = y0
    for i in range(steps):
        path[i + 1] = rk4(slope, path[i], i * h, h)
    return path


def bounce(height, speed, loss, dt):
    """A ball that loses speed at each bounce, until it has bounced twice."""
    bounces = 0
    travelled = 0.0
    while True:
        speed -= 9.81 * dt
        before = height
        height += speed * dt
        if height < 0.0:
            part = before / (before - height)
            height = 0.0
            travelled += before * part
            speed = -loss * speed
            bounces += 1
            if bounces == 2:
                break
        else:
            travelled += abs(height - before)
    return travelled, speed


def descent(x, rate, tol):
    """Gradient descent until the slope has gone."""

    def cost(x):
        return np.sum((x - 1.0) ** 4) + 0.5 * np.sum(x**2) + x[0] * x[1]

    slope = sg.grad(cost)
    while True:
        g = slope(x)
        if np.sqrt(np.sum(g**2)) < tol:
            break
        x = x - rate * g
    return x


KERNELS = (
    Kernel(channel_flow, channel_args),
    Kernel(nbody, nbody_args),
    Kernel(pendulum, lambda r: (*uniform(r, 2), 0.2, 0.1, 4), 2),
    Kernel(bounce, lambda r: (1.0, 0.5, 0.8, 0.05)),
    Kernel(descent, lambda r: (*uniform(r, 3), 0.05, 0.1)),
)
