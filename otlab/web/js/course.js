// A course (Moodle, ILIAS, any that plays SCORM) around the page: who works, what was kept, what is reported.
//
// courseAround()    null outside a course; else {name, kept(), put(state, answered, more)}
// Elements of SCORM 1.2 and of SCORM 2004 by what they are for. SCORM 1.2 keeps 4,096 characters.

const SCORM = {
  "1.2": {
    api: "API", begin: "LMSInitialize", get: "LMSGetValue", set: "LMSSetValue", commit: "LMSCommit", end: "LMSFinish", most: 4096, longest: 255,
    name: "cmi.core.student_name", status: "cmi.core.lesson_status", fresh: "not attempted", leave: "cmi.core.exit", type: "fill-in", response: "student_response",
  },
  2004: {
    api: "API_1484_11", begin: "Initialize", get: "GetValue", set: "SetValue", commit: "Commit", end: "Terminate", most: 64000, longest: 4000,
    name: "cmi.learner_name", status: "cmi.completion_status", fresh: "unknown", leave: "cmi.exit", type: "long-fill-in", response: "learner_response",
  },
}

function courseAround() {
  // The course's window is one around this page, or around the one that opened it.
  const found = name => {
    const seen = new Set()
    for (let at = window; at && !seen.has(at) && seen.size < 20; at = at.parent !== at ? at.parent : at.opener) {
      seen.add(at)
      try { if (at[name]) return at[name] } catch { return null }   // a page of another host
    }
    return null
  }
  for (const names of Object.values(SCORM)) {
    const api = found(names.api)
    if (!api) continue
    const call = (act, ...values) => { try { return api[names[act]](...values) } catch { return "" } }
    if (String(call("begin", "")) !== "true") continue
    if (["", names.fresh].includes(String(call("get", names.status)))) call("set", names.status, "incomplete")
    let open = true, last = Promise.resolve()
    addEventListener("pagehide", () => { if (open) { open = false; call("set", names.leave, "suspend"); call("commit", ""); call("end", "") } })
    return {
      name: String(call("get", names.name) || ""),
      async kept() { const text = String(call("get", "cmi.suspend_data") || ""); return text ? unpacked(text).catch(() => null) : null },
      // What is worth keeping, as much of it as there is room for: the answer before the settings.
      put(state, answered, more) {
        const versions = [{ state, more }, { state }, { state: { ...state, why: "" } }].map(part => structuredClone(part))
        return last = last.then(async () => {
          const texts = await Promise.all(versions.map(packed)), text = texts.find(each => each.length <= names.most)
          if (!open) return
          if (text) call("set", "cmi.suspend_data", text)
          if (answered) {
            call("set", "cmi.interactions.0.id", "answer")
            call("set", "cmi.interactions.0.type", names.type)
            call("set", `cmi.interactions.0.${names.response}`, state.answer.slice(0, names.longest))
            call("set", names.status, "completed")
          }
          call("commit", "")
        })
      },
    }
  }
  return null
}
