"""The picture of the ELBO in the grammar lab."""

from otlab.viz.base.live import Live
from otlab.viz.base.tokens import LIGHT
from otlab.viz.mg.induction import ItemProbability, elbo_element, probabilities_html


def test_labels_of_a_low_axis_do_not_stand_over_each_other():
    figure = Live(elbo_element(), {}, LIGHT).figure
    for axis in (*figure.xaxis, *figure.yaxis):
        assert axis.ticker.desired_num_ticks == 3
    assert figure.yaxis[0].major_label_policy.min_distance == 4


def _picture(**sizes):
    return probabilities_html(
        [ItemProbability(c, f"{c}{i}", c, 0.5, 0.2, 0.8) for c, n in sizes.items() for i in range(n)]
    )


def test_few_long_categories_have_several_columns_each():
    assert "--split:2" in _picture(d=4, n1=4, n2=4)
    assert "--split:3" in _picture(d=8, n=2)
    assert "--split:1" in _picture(d=3, n=3)
    assert "--split:1" in _picture(a=9, b=9, c=9, d=9)
    assert "--split:1" in _picture()


def test_the_check_by_gibbs_stands_beside_the_estimate():
    item = ItemProbability("d", "the", "n d", 0.5, 0.2, 0.8, sampled=(0.45, 0.1, 0.7))
    html = probabilities_html([item, ItemProbability("d", "a", "n d", 0.5, 0.2, 0.8)])
    assert "the: 0.50, 95 % interval 0.20 to 0.80; Gibbs: 0.45, 0.10 to 0.70" in html
    assert 'class="drawn" style="left:10.0%;width:60.0%"' in html
    assert "Gibbs" not in _picture(d=1)
