// In a worker: the first message is the job, a second one stops it.
let halted = false, begun = false
onmessage = ({ data }) => {
  if (begun) { halted = true; return }
  begun = true
  runJob(data, message => postMessage(message), () => halted).catch(error => postMessage({ failed: String(error.message ?? error) }))
}
