// Has no peer: nothing in Panel follows the editor of a notebook.
// Tells Python whether the notebook's editor, JupyterLab or VS Code, is dark; also when that changes.

export function render({ model }) {
  const { dataset } = document.body
  let told = false
  function tell() {
    const dark = dataset.vscodeThemeKind ? /dark|^vscode-high-contrast$/.test(dataset.vscodeThemeKind) : dataset.jpThemeLight === "false"
    if (dark === told) return
    told = dark
    model.send_msg(dark)
  }
  const watcher = new MutationObserver(tell)
  watcher.observe(document.body, { attributes: true, attributeFilter: ["data-vscode-theme-kind", "data-jp-theme-light"] })
  tell()
  return () => watcher.disconnect()
}
