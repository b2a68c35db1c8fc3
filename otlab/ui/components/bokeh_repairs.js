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
function drawLateChildren(view) {
  const connect = view.connect_signals
  view.connect_signals = function () {
    connect.call(this)
    const built = new Set(this._child_views.keys())
    if (this.child_models.some(child => !built.has(child))) this.update_children()
  }
}

// Children that change again while new ones are built would be built twice, and one of the two stayed for good.
function changeOneAfterAnother(view) {
  const update = view.update_children
  view.update_children = async function () {
    while (this.updating) await this.updating
    this.updating = update.call(this)
    try { await this.updating } finally { this.updating = null }
  }
}

// A table that is built anew, as after a column was added, is told of no data or columns until it stands: a cell
// that was set meanwhile kept its old text, or its table had an error.
function drawLateData(view) {
  for (const name of ["setData", "updateOrAddData"]) {
    const update = view[name]
    view[name] = function () {
      if (!this._building && this.tabulator?.initialized) return update.call(this)
      this.dataCame = true
      return Promise.resolve()
    }
  }
  const calls = view.init_callbacks
  view.init_callbacks = function () {
    calls.call(this)
    const set = this.tabulator.setColumns
    this.tabulator.setColumns = columns => {
      if (this._building) this.columnsCame = true
      else set.call(this.tabulator, columns)
    }
  }
  const built = view.tableBuilt
  view.tableBuilt = function () {
    built.call(this)
    if (this.columnsCame) { this.tabulator.setColumns(this.getColumns()); this.setHidden() }
    if (this.dataCame) this.setData()
    this.columnsCame = this.dataCame = false
  }
}

let mended = false

function mendBokeh() {
  for (const page of window.Bokeh?.documents ?? []) knowWhatTheServerSent(page)
  if (mended || !window.Bokeh) return
  mended = true
  const viewOf = name => window.Bokeh.Models[name].prototype.default_view.prototype
  for (const name of ["Column", "Row"]) drawLateChildren(viewOf(name))
  for (const name of ["Row", "panel.models.layout.Column"]) changeOneAfterAnother(viewOf(name))
  drawLateData(viewOf("panel.models.tabulator.DataTabulator"))
}
