// Play WAV bytes, one sound at a time; `moved` hears how far it is in seconds, and null at its end.

const bytesOf = text => Uint8Array.from(atob(text), c => c.charCodeAt(0))

function player(el, moved = () => {}) {
  let context = null, source = null, timer = 0

  // Browsers let a page sound only after a click: call this from its handler.
  function wake() {
    context ||= new AudioContext()
    if (context.state === "suspended") context.resume()
  }
  function silence() {
    source?.stop(); source = null
    cancelAnimationFrame(timer); moved(null)
  }
  async function play(wav) {
    wake(); silence()
    const buffer = await context.decodeAudioData(bytesOf(wav).buffer)
    const mine = source = context.createBufferSource()
    mine.buffer = buffer; mine.connect(context.destination); mine.start()
    el.dataset.played = buffer.duration.toFixed(3)
    const begin = context.currentTime
    const step = () => {
      if (source !== mine) return
      const t = context.currentTime - begin
      if (t > buffer.duration) { silence(); return }
      moved(t)
      timer = requestAnimationFrame(step)
    }
    step()
  }
  return { wake, play, close: () => { silence(); context?.close() } }
}
