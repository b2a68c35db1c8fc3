// Record from the microphone: a button whose sound comes as a WAV file of one channel, 16,000 samples per second.

const RATE = 16000, LONGEST = 300

// What keeps this page from recording, in words; "" if nothing does.
function unable() {
  if (!window.isSecureContext) return "Browsers record only at https:// addresses and at localhost: open the lab at one of them, or choose a file."
  return navigator.mediaDevices?.getUserMedia && window.MediaRecorder ? "" : "This browser cannot record: choose a file instead."
}

function refusal(error) {
  if (error.name === "NotAllowedError") return "The browser may not use the microphone: allow it beside the address, then press Record again."
  if (error.name === "NotFoundError") return "No microphone was found: connect one, then press Record again."
  return `Nothing was recorded (${error.message || error.name}): try again, or choose a file.`
}

// The bytes of a WAV file of 16 bits.
function wavOf(samples, rate) {
  const view = new DataView(new ArrayBuffer(44 + 2 * samples.length))
  const write = (at, text) => [...text].forEach((c, k) => view.setUint8(at + k, c.charCodeAt(0)))
  write(0, "RIFF"); view.setUint32(4, 36 + 2 * samples.length, true); write(8, "WAVEfmt ")
  view.setUint32(16, 16, true); view.setUint16(20, 1, true); view.setUint16(22, 1, true)
  view.setUint32(24, rate, true); view.setUint32(28, 2 * rate, true); view.setUint16(32, 2, true); view.setUint16(34, 16, true)
  write(36, "data"); view.setUint32(40, 2 * samples.length, true)
  samples.forEach((x, k) => view.setInt16(44 + 2 * k, Math.round(32767 * Math.max(-1, Math.min(1, x))), true))
  return view.buffer
}

// Decode what was recorded, at the rate of the WAV file, and take the mean of its channels.
async function decoded(blob) {
  const buffer = await new OfflineAudioContext(1, 1, RATE).decodeAudioData(await blob.arrayBuffer())
  const mean = new Float32Array(buffer.length)
  for (let c = 0; c < buffer.numberOfChannels; c++) buffer.getChannelData(c).forEach((x, k) => { mean[k] += x / buffer.numberOfChannels })
  return mean
}

function recorder(model, done) {
  let media = null, clock = 0, count = 0, gone = false
  const label = h("span", {}, "Record"), status = h("span", { class: "small", role: "status" })
  const button = h("button", { type: "button", onclick: () => media ? media.stop() : start() }, h("i", { class: "dot" }), label)
  const box = h("div", { class: "record" }, button, status)
  const why = unable()
  button.disabled = Boolean(why)
  status.textContent = why || "with the microphone, up to 5 minutes"

  async function start() {
    let stream
    button.disabled = true
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: true })
      if (gone) return release(stream)
      const parts = []
      const running = new MediaRecorder(stream)
      running.ondataavailable = event => parts.push(event.data)
      running.onstop = () => { release(stream); finish(new Blob(parts, { type: running.mimeType })) }
      running.start()
      media = running
      const begin = performance.now()
      const tell = () => {
        const seconds = Math.floor((performance.now() - begin) / 1000)
        status.textContent = `recording, ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
        if (seconds >= LONGEST && running.state === "recording") running.stop()
      }
      clock = setInterval(tell, 250); tell()
      setText(label, "Stop recording"); setClass(box, "on", true)
    } catch (error) {
      if (stream) release(stream)
      status.textContent = refusal(error)
    }
    button.disabled = false
  }

  const release = stream => stream.getTracks().forEach(track => track.stop())

  async function finish(blob) {
    media = null; clearInterval(clock)
    setText(label, "Record"); setClass(box, "on", false)
    if (gone) return
    try {
      const samples = await decoded(blob)
      status.textContent = `recorded ${(samples.length / RATE).toFixed(1)} s`
      done(new File([wavOf(samples, RATE)], `recording ${++count}.wav`, { type: "audio/wav" }))
    } catch (error) { status.textContent = refusal(error) }
  }

  model.on("remove", () => { gone = true; clearInterval(clock); if (media) media.stop() })
  return box
}
