// What is edited stays in this browser, under a key of the page as it was made: pages that differ share nothing.

const memory = (() => {
  // FNV-1a, twice 32 bits, of the data that the page was made with
  const hash = (text, start) => { let h = start; for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193); return (h >>> 0).toString(16).padStart(8, "0") }
  const written = document.getElementById("data").textContent, key = `otlab page ${hash(written, 0x811c9dc5)}${hash(written, 0x9e3779b9)}`
  const attempt = act => { try { return act() } catch { return undefined } }
  return {
    key,
    // What was kept; null if nothing was, undefined if the browser keeps nothing.
    read: () => attempt(() => { const text = localStorage.getItem(key); return text === null ? null : JSON.parse(text) }),
    // Whether it was kept.
    write: value => attempt(() => { localStorage.setItem(key, JSON.stringify(value)); return true }) ?? false,
    forget: () => attempt(() => localStorage.removeItem(key)),
  }
})()
