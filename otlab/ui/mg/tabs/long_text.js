// A box for a text of thousands of lines, of which only those in sight are drawn: Ace, which Panel brings along and the
// server of this page sends. Where none is sent (in a notebook) there is the plain box.

const MANY_LINES = 2000
const ACE = "static/extensions/panel/bundled/aceplot/ace-builds@1.40.1/src-min-noconflict"
const PAUSE = 300  // ms after a key until the text is kept: a megabyte is not sent at every key

// Return a promise of Ace, or of null where there is none. All boxes of the page share it.
function loadAce() {
  const folder = new URL(ACE, document.baseURI).href
  return window.aceOfOtlab ??= new Promise(done => {
    const loaded = () => { window.ace.config.set("basePath", folder); done(window.ace) }
    document.head.append(h("script", { src: `${folder}/ace.js`, onload: loaded, onerror: () => done(null) }))
  })
}

function isLong(text) {
  let at = 0
  for (let line = 1; line < MANY_LINES; line++) {
    at = text.indexOf("\n", at) + 1
    if (!at) return false
  }
  return true
}

// Return the box; `typed` is called with the text, a moment after a key.
function longText(ace, host, label, typed) {
  const editor = ace.edit(host, { fontSize: "12.5px", showPrintMargin: false, showFoldWidgets: false, highlightActiveLine: false,
    highlightGutterLine: false, useWorker: false, textInputAriaLabel: label })
  editor.renderer.attachToShadowRoot()
  editor.renderer.setStyle("plain")
  editor.commands.removeCommands(["indent", "outdent"])  // Tab goes on to the next control, as in a text area
  editor.textInput.getElement().setAttribute("aria-label", label)
  for (const bar of host.querySelectorAll(".ace_scrollbar")) {  // Chromium stops at what scrolls; the text itself scrolls by keys
    bar.tabIndex = -1
    bar.setAttribute("aria-hidden", "true")
  }
  let timer = 0, quiet = false
  function tell() {
    clearTimeout(timer)
    timer = 0
    typed(editor.getValue())
  }
  editor.on("change", () => {
    if (quiet) return
    clearTimeout(timer)
    timer = setTimeout(tell, PAUSE)
  })
  editor.on("blur", () => timer && tell())  // whoever goes to another tab has left the box before
  return {
    get value() { return editor.getValue() },
    get waits() { return timer !== 0 },
    put(text) {  // a session of its own: Ctrl+Z does not bring back the text before
      quiet = true
      const session = ace.createEditSession(text, "ace/mode/text")
      session.setUseWorker(false)
      editor.setSession(session)
      quiet = false
    },
    focus: () => editor.focus(),
    goTo(line) {
      editor.focus()
      editor.selection.setRange({ start: { row: line - 1, column: 0 }, end: { row: line - 1, column: editor.session.getLine(line - 1).length } })
      editor.scrollToLine(Math.max(0, line - 4), false, false)
    },
    close() {
      if (timer) tell()
      editor.destroy()
      editor.container.remove()
    },
  }
}
