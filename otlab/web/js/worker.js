// In a worker: the one message is the job.
onmessage = event => runJob(event.data, message => postMessage(message)).catch(error => postMessage({ failed: String(error.message ?? error) }))
