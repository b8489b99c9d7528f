"""Callbacks, as scikit-learn has them since 1.9: hooks around a fit and around each of its steps.

The callbacks themselves (a progress bar, a record of scores) are scikit-learn's, which is loaded
only if an estimator was given some by ``set_callbacks``.
"""

import contextlib


@contextlib.contextmanager
def fitting(estimator, X, y, sample_weight, attributes):
    """Call the hooks around a fit, if there are callbacks; its `Steps` are ``estimator._steps``.

    ``attributes(n_done, *parameters)`` returns those of an estimator fitted so far.
    """
    if not hasattr(estimator, "_skl_callbacks"):
        yield
        return
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback._callback_support import callback_management_context

    metadata = None if sample_weight is None else {"sample_weight": sample_weight}
    data = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}
    with callback_management_context(estimator):
        context = CallbackSupportMixin._init_callback_context(estimator, max_subtasks=None)
        context.call_on_fit_task_begin(**data)
        estimator._steps = Steps(context, data, attributes)
        try:
            yield
        finally:
            del estimator._steps
        context.call_on_fit_task_end(**data, reconstruction_attributes={})


class Steps:
    """Call the hooks around each step of a solver.

    A step is made known when the next one is, or at the end: the solver may still improve the last
    one. As with scikit-learn there is one step at least, and behind the last one an empty one.

    Parameters
    ----------
    context : sklearn.callback.CallbackContext
    data : dict
        What every hook is told: estimator, X, y and metadata.
    attributes : callable
    """

    def __init__(self, context, data, attributes):
        self.context, self.data, self.attributes = context, data, attributes
        self.finish = self.step = self.last = None

    def begin(self, v, finish, report):
        """Begin at v; return a function of the steps to come, which calls `report`, too.

        ``finish(v)`` returns the parameters of the estimator.
        """
        self.finish, self.last = finish, None
        self._begin(v, 0)

        def follow(n_done, state):
            if report is not None:
                report(n_done, state)
            if self.last is not None:
                self._turn(self.last)
            self.last = state.v

        return follow

    def end(self, v):
        """End the last step at v, and the empty one behind it."""
        self._turn(v)
        self.step.call_on_fit_task_end(estimator=self.data["estimator"])

    def _begin(self, v, n_done):
        self.step = self.context.subcontext(task_name="lbfgs-iter")  # so that programs find it
        self.step.call_on_fit_task_begin(**self.data, reconstruction_attributes=self._at(v, n_done))

    def _turn(self, v):
        n_done = self.step.task_id + 1
        self.step.call_on_fit_task_end(**self.data, reconstruction_attributes=self._at(v, n_done))
        self._begin(v, n_done)

    def _at(self, v, n_done):
        return lambda: self.attributes(n_done, *self.finish(v))
