// What Bokeh loses between server and page, mended once a page.

const announced = new WeakSet()

// Bokeh takes models that came in a patch for new ones of its own until a message has gone back. Were that
// message about one of them it would be sent whole, which fails for a component: the first click in a tab just
// opened was lost at times.
function knowWhatTheServerSent(page) {
  if (announced.has(page)) return
  announced.add(page)
  const apply = page._apply_json_patch.bind(page)
  page._apply_json_patch = (patch, buffers) => {
    const ours = new Set(page._new_models)
    apply(patch, buffers)
    for (const made of page._new_models) if (!ours.has(made)) page._new_models.delete(made)
  }
}

// A view hears of changes only when it and all beside it are built. A row or column that was filled meanwhile,
// as by the search that a tab begins when it is opened, stayed empty.
function drawLateChildren() {
  for (const name of ["Column", "Row"]) {
    const view = window.Bokeh.Models[name].prototype.default_view.prototype
    if (Object.hasOwn(view, "otlab_mended")) continue
    view.otlab_mended = true
    const connect = view.connect_signals
    view.connect_signals = function () {
      connect.call(this)
      const built = new Set(this._child_views.keys())
      if (this.child_models.some(child => !built.has(child))) this.update_children()
    }
  }
}

function mendBokeh() {
  for (const page of window.Bokeh?.documents ?? []) knowWhatTheServerSent(page)
  if (window.Bokeh) drawLateChildren()
}
