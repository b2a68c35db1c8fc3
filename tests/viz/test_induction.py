"""The picture of the ELBO in the grammar lab."""

from otlab.viz.base.live import Live
from otlab.viz.base.tokens import LIGHT
from otlab.viz.mg.induction import elbo_element


def test_labels_of_a_low_axis_do_not_stand_over_each_other():
    (axis,) = Live(elbo_element(), {}, LIGHT).figure.yaxis
    assert axis.ticker.desired_num_ticks == 3
    assert axis.major_label_policy.min_distance == 4
