"""Losses as modules. ``reduction`` is ``"mean"``, ``"sum"`` or ``"none"``."""

from __future__ import annotations

from typing import Any

from .. import functional as F  # noqa: N812
from ..functional._options import check_reduction
from ..module import Module

Array = Any


class _Loss(Module):
    """Holds ``reduction``, and weights as a buffer if there are any."""

    _more: tuple[str, ...] = ()

    def __init__(self, reduction: str, weight: Array = None) -> None:
        super().__init__()
        if reduction not in self._more:
            check_reduction(reduction)
        self.reduction = reduction
        self.register_buffer("weight", weight)


class MSELoss(_Loss):
    """Squared differences.

    >>> nn.MSELoss()(np.array([0.5, 0.5]), np.array([0.0, 1.0]))
    np.float64(0.25)
    """

    def __init__(self, *, reduction: str = "mean") -> None:
        super().__init__(reduction)

    def forward(self, x: Array, target: Array) -> Array:
        return F.mse_loss(x, target, reduction=self.reduction)


class L1Loss(_Loss):
    """Absolute differences.

    >>> nn.L1Loss()(np.array([0.5, 0.5]), np.array([0.0, 1.0]))
    np.float64(0.5)
    """

    def __init__(self, *, reduction: str = "mean") -> None:
        super().__init__(reduction)

    def forward(self, x: Array, target: Array) -> Array:
        return F.l1_loss(x, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """Half squares divided by ``beta`` near 0, lines further away.

    >>> nn.SmoothL1Loss()(np.array([0.5, 0.5]), np.array([0.0, 1.0]))
    np.float64(0.125)
    """

    def __init__(self, *, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(reduction)
        self.beta = beta

    def forward(self, x: Array, target: Array) -> Array:
        return F.smooth_l1_loss(x, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """Half squares near 0, lines where further away than ``delta``.

    >>> nn.HuberLoss()(np.array([0.5, 0.5]), np.array([0.0, 1.0]))
    np.float64(0.125)
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = delta

    def forward(self, x: Array, target: Array) -> Array:
        return F.huber_loss(x, target, reduction=self.reduction, delta=self.delta)


class CrossEntropyLoss(_Loss):
    """Minus the log-probability of the target under ``softmax``; see
    ``functional.cross_entropy``.

    >>> nn.CrossEntropyLoss()(np.zeros((2, 4)), np.array([0, 3]))
    np.float64(1.3862943611198906)
    """

    def __init__(
        self,
        weight: Array = None,
        *,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(reduction, weight)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, x: Array, target: Array) -> Array:
        return F.cross_entropy(
            x,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class NLLLoss(_Loss):
    """Minus the entries at the class numbers; see ``functional.nll_loss``.

    >>> nn.NLLLoss()(np.log(np.full((2, 4), 0.25)), np.array([0, 3]))
    np.float64(1.3862943611198906)
    """

    def __init__(
        self, weight: Array = None, *, ignore_index: int = -100, reduction: str = "mean"
    ) -> None:
        super().__init__(reduction, weight)
        self.ignore_index = ignore_index

    def forward(self, x: Array, target: Array) -> Array:
        rest: Any = {"ignore_index": self.ignore_index, "reduction": self.reduction}
        return F.nll_loss(x, target, self.weight, **rest)


class BCELoss(_Loss):
    """Cross-entropy of probabilities; see ``functional.binary_cross_entropy``.

    >>> nn.BCELoss()(np.array([0.5, 0.5]), np.array([0.0, 1.0]))
    np.float64(0.6931471805599453)
    """

    def __init__(self, weight: Array = None, *, reduction: str = "mean") -> None:
        super().__init__(reduction, weight)

    def forward(self, x: Array, target: Array) -> Array:
        return F.binary_cross_entropy(x, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """``BCELoss`` of ``sigmoid``; see ``functional.binary_cross_entropy_with_logits``.

    >>> nn.BCEWithLogitsLoss()(np.zeros(2), np.array([0.0, 1.0]))
    np.float64(0.6931471805599453)
    """

    def __init__(
        self,
        weight: Array = None,
        *,
        reduction: str = "mean",
        pos_weight: Array = None,
    ) -> None:
        super().__init__(reduction, weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, x: Array, target: Array) -> Array:
        rest = {"reduction": self.reduction, "pos_weight": self.pos_weight}
        return F.binary_cross_entropy_with_logits(x, target, self.weight, **rest)


class KLDivLoss(_Loss):
    """The divergence of log-probabilities; ``reduction`` may be ``"batchmean"``.

    >>> nn.KLDivLoss(reduction="batchmean")(np.log(np.full((1, 2), 0.5)), np.array([[1.0, 0.0]]))
    np.float64(0.6931471805599453)
    """

    _more = ("batchmean",)

    def __init__(self, *, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(reduction)
        self.log_target = log_target

    def forward(self, x: Array, target: Array) -> Array:
        return F.kl_div(x, target, reduction=self.reduction, log_target=self.log_target)


class PoissonNLLLoss(_Loss):
    """Minus the log-probability of counts; see ``functional.poisson_nll_loss``.

    >>> nn.PoissonNLLLoss()(np.array([0.5, 0.5]), np.array([0.0, 1.0]))
    np.float64(1.3987212707001282)
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        *,
        eps: float = 1e-8,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def forward(self, x: Array, target: Array) -> Array:
        rest: Any = {"full": self.full, "eps": self.eps, "reduction": self.reduction}
        return F.poisson_nll_loss(x, target, self.log_input, **rest)


class GaussianNLLLoss(_Loss):
    """Minus the log-density under normal distributions.

    >>> nn.GaussianNLLLoss()(np.array([0.5, 0.5]), np.array([0.0, 1.0]), np.ones(2))
    np.float64(0.125)
    """

    def __init__(
        self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
    ) -> None:
        super().__init__(reduction)
        self.full, self.eps = full, eps

    def forward(self, x: Array, target: Array, var: Array) -> Array:
        return F.gaussian_nll_loss(x, target, var, self.full, self.eps, self.reduction)


class SoftMarginLoss(_Loss):
    """``log(1 + exp(-target * x))`` for targets 1 and -1.

    >>> nn.SoftMarginLoss()(np.array([0.5, 0.5]), np.array([-1.0, 1.0]))
    np.float64(0.7240769841801067)
    """

    def __init__(self, *, reduction: str = "mean") -> None:
        super().__init__(reduction)

    def forward(self, x: Array, target: Array) -> Array:
        return F.soft_margin_loss(x, target, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """``relu(margin - target * (x1 - x2))``.

    >>> nn.MarginRankingLoss()(np.array([0.5, 0.5]), np.array([0.0, 1.0]), np.array([-1.0, 1.0]))
    np.float64(0.5)
    """

    def __init__(self, margin: float = 0.0, *, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def forward(self, x1: Array, x2: Array, target: Array) -> Array:
        return F.margin_ranking_loss(x1, x2, target, self.margin, reduction=self.reduction)


class HingeEmbeddingLoss(_Loss):
    """``x`` where the target is 1, ``relu(margin - x)`` where it is -1.

    >>> nn.HingeEmbeddingLoss()(np.array([0.5, 0.5]), np.array([-1.0, 1.0]))
    np.float64(0.5)
    """

    def __init__(self, margin: float = 1.0, *, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def forward(self, x: Array, target: Array) -> Array:
        return F.hinge_embedding_loss(x, target, self.margin, reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """``1 - cos`` where the target is 1, ``relu(cos - margin)`` where it is -1.

    >>> nn.CosineEmbeddingLoss()(np.eye(2), np.ones((2, 2)), np.array([-1.0, 1.0]))
    np.float64(0.5)
    """

    def __init__(self, margin: float = 0.0, *, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def forward(self, x1: Array, x2: Array, target: Array) -> Array:
        return F.cosine_embedding_loss(
            x1, x2, target, self.margin, reduction=self.reduction
        )


class TripletMarginLoss(_Loss):
    """``relu(d(anchor, positive) - d(anchor, negative) + margin)``.

    >>> nn.TripletMarginLoss()(np.zeros((1, 2)), np.ones((1, 2)), np.eye(2)[:1])
    np.float64(1.4142131481590328)
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        *,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction)
        self.margin, self.p, self.eps = margin, p, eps

    def forward(self, anchor: Array, positive: Array, negative: Array) -> Array:
        rest = (self.margin, self.p, self.eps)
        return F.triplet_margin_loss(
            anchor, positive, negative, *rest, reduction=self.reduction
        )


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along ``dim``.

    >>> nn.CosineSimilarity()(np.eye(2), np.ones((2, 2)))
    array([0.70710678, 0.70710678])
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Array, x2: Array) -> Array:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """The p-norms of differences along the last axis.

    >>> nn.PairwiseDistance()(np.eye(2), np.ones((2, 2)))
    array([0.999999, 0.999999])
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.p, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Array, x2: Array) -> Array:
        return F.pairwise_distance(x1, x2, self.p, self.eps, self.keepdim)
