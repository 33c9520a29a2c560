"""Hooks: look at what goes through a network, and change it.

- Forward and full backward hooks print the norms of a layer's inputs and gradients.
- A hook on a parameter and one after its gradient has been added count what arrives there.
- A forward hook that returns something changes the output; handles take hooks off again.
- A run with activations and gradients recorded for every layer becomes a picture.

Hooks cost nothing where there are none: modules are inlined, and the code is made anew when one
is registered or removed.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from _common import arguments, digit_images
from matplotlib.figure import Figure
from tqdm import tqdm

import symgrad.nn.functional as F  # noqa: N812
from symgrad import nn, optim


def network(rng):
    """A perceptron with five layers."""
    sizes = [64, 64, 64, 64, 64, 10]
    layers = [nn.Flatten()]
    for fan_in, fan_out in pairwise(sizes):
        layers += [nn.Linear(fan_in, fan_out, generator=rng), nn.Tanh()]
    return nn.Sequential(*layers[:-1])


def loss(model, images, labels):
    """Softmax cross-entropy, averaged over the batch."""
    return F.cross_entropy(model(images), labels)


def norm(x):
    """The 2-norm of an array, or None."""
    return None if x is None else float(np.linalg.norm(x))


def print_input(module, args):
    """A forward pre-hook."""
    print(f"  into {module}: norm {norm(args[0]):.3f}")


def print_output(module, args, output):
    """A forward hook."""
    print(f"  out of it: norm {norm(output):.3f}")


def print_gradients(module, grad_input, grad_output):
    """A full backward hook."""
    print(f"  gradient by its output: norm {norm(grad_output[0]):.4f}")
    print(f"  gradient by its input: norm {norm(grad_input[0]):.4f}")


def watch_a_layer(model, images, labels):
    """Print norms during one call, and none during the next."""
    layer = model[3]
    handles = [
        layer.register_forward_pre_hook(print_input),
        layer.register_forward_hook(print_output),
        layer.register_full_backward_hook(print_gradients),
    ]
    print("one call with hooks:")
    nn.backward(loss, model, images, labels)
    for handle in handles:
        handle.remove()
    print("and one without: nothing is printed")
    nn.backward(loss, model, images, labels)
    model.zero_grad()


def watch_a_parameter(model, images, labels):
    """Halve a gradient on its way to ``.grad``, and look when it is there."""
    nn.backward(loss, model, images, labels)
    weight = model[3].weight
    before = norm(weight.grad)
    model.zero_grad()
    with (
        weight.register_hook(lambda g: g / 2),
        weight.register_post_accumulate_grad_hook(
            lambda p: print(f"the halved gradient has norm {norm(p.grad):.4f}")
        ),
    ):
        nn.backward(loss, model, images, labels)
    print(f"as it was before: norm {before:.4f}")
    if not np.isclose(2 * norm(weight.grad), before):
        raise SystemExit("it should be half as long")
    model.zero_grad()


def change_an_output(model, images, labels):
    """Switch off a layer by a forward hook."""
    usual = loss(model, images, labels)
    with model[5].register_forward_hook(lambda module, args, output: output * 0):
        without = loss(model, images, labels)
    print(f"loss {usual:.4f}, with a layer switched off {without:.4f}")
    if loss(model, images, labels) != usual:
        raise SystemExit("the hook should be gone")


class Recorder:
    """Norms of what leaves every linear layer, and of the gradients by it."""

    def __init__(self, model):
        self.layers = [m for m in model.modules() if isinstance(m, nn.Linear)]
        self.outputs = {id(m): [] for m in self.layers}
        self.gradients = {id(m): [] for m in self.layers}
        self.handles = []
        for m in self.layers:
            self.handles.append(m.register_forward_hook(self.output))
            self.handles.append(m.register_full_backward_hook(self.gradient))

    def output(self, module, args, output):
        """A forward hook."""
        self.outputs[id(module)].append(norm(output))

    def gradient(self, module, grad_input, grad_output):
        """A full backward hook."""
        self.gradients[id(module)].append(norm(grad_output[0]))

    def close(self):
        """Take the hooks off."""
        for handle in self.handles:
            handle.remove()


def record(model, images, labels, epochs, rng):
    """Train, and record norms at every step."""
    recorder = Recorder(model)
    loader = nn.DataLoader((images, labels), 128, shuffle=rng, drop_last=True)
    optimizer = optim.SGD(model.named_parameters(), lr=0.1, momentum=0.9)
    for _ in (bar := tqdm(range(epochs), unit="epoch")):
        for batch in loader:
            optimizer.zero_grad()
            value = nn.backward(loss, model, *batch)
            optimizer.step()
        bar.set_postfix(loss=f"{value:.4f}")
    recorder.close()
    return recorder


def picture(recorder, path):
    """Norms by step, a line for each layer."""
    figure = Figure(figsize=(9, 3.5), layout="constrained")
    both = (recorder.outputs, "output"), (recorder.gradients, "gradient by the output")
    for axes, (kept, name) in zip(figure.subplots(1, 2), both, strict=True):
        for k, values in enumerate(kept.values(), start=1):
            axes.semilogy(values, label=f"layer {k}", lw=1)
        axes.set(xlabel="step", ylabel=f"norm of the {name}")
        axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=120)


def main():
    """Every kind of hook once."""
    options = arguments(__doc__)
    rng = np.random.default_rng(0)
    images, labels, *_ = digit_images(rng)
    model = network(rng)
    watch_a_layer(model, images[:64], labels[:64])
    watch_a_parameter(model, images[:64], labels[:64])
    change_an_output(model, images[:64], labels[:64])

    recorder = record(model, images, labels, 2 if options.quick else 20, rng)
    steps = len(recorder.outputs[id(model[1])])
    path = options.out / "hooks.png"
    picture(recorder, path)
    print(f"norms of {len(recorder.layers)} layers at {steps} steps in {path}")


if __name__ == "__main__":
    main()
