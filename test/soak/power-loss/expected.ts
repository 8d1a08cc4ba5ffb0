/** The state that must hold at a moment, from the notes up to it. */
import type { Note, Told } from './acknowledgements.ts'
import type { Ns } from './trace.ts'

type ExpectedJob = {
  /** Hash of the input; undefined: nobody was told that it was accepted, but of its end or its chunks. */
  input: string | undefined
  end: { readonly status: string; output: string | undefined } | undefined
  taken: string | undefined
  chunks: number
}
type EventTold = Extract<Told, { readonly what: 'event' }>

/** All that was told up to a moment, by what it is about. */
export type Expected = {
  readonly jobs: ReadonlyMap<string, ExpectedJob>
  readonly events: readonly EventTold[]
  readonly endpoints: ReadonlySet<string>
  readonly assets: readonly { readonly id: string; readonly name: string }[]
  readonly artifacts: ReadonlySet<string>
  readonly releases: ReadonlyMap<number, { readonly state: string; readonly artifact: string }>
  /** Of one that is being replaced what was asked for since; it may be there already. */
  readonly values: ReadonlyMap<string, { readonly told: string | undefined; readonly asked: readonly string[] }>
}

/** Goes through notes in the order of time. @returns goes on to a moment, which must not be before the last one */
export function expectations(notes: readonly Note[]): (until: Ns) => Expected {
  const jobs = new Map<string, ExpectedJob>()
  const events: EventTold[] = []
  const endpoints = new Set<string>()
  const assets: { id: string; name: string }[] = []
  const artifacts = new Set<string>()
  const releases = new Map<number, { state: string; artifact: string }>()
  const values = new Map<string, { told: string | undefined; asked: string[] }>()
  let next = 0

  function job(id: string): ExpectedJob {
    const known = jobs.get(id) ?? { input: undefined, end: undefined, taken: undefined, chunks: 0 }
    jobs.set(id, known)
    return known
  }

  function add(told: Told): void {
    switch (told.what) {
      case 'job':
        job(told.id).input = told.input
        return
      case 'end':
        job(told.id).end = { status: told.status, output: told.output ?? job(told.id).end?.output }
        return
      case 'taken':
        job(told.id).taken = told.output
        return
      case 'retried':
        job(told.id).end = undefined
        job(told.id).taken = undefined
        return
      case 'chunks':
        job(told.id).chunks = Math.max(told.count, job(told.id).chunks)
        return
      case 'event':
        events.push(told)
        return
      case 'endpoint':
        endpoints.add(told.id)
        return
      case 'asset':
        assets.push(told)
        return
      case 'artifact':
        artifacts.add(told.id)
        return
      case 'release':
        releases.set(told.number, told)
        return
      case 'value':
        values.set(told.name, { told: told.value, asked: [] })
        return
      case 'asked':
        values.set(told.name, {
          told: values.get(told.name)?.told,
          asked: [...(values.get(told.name)?.asked ?? []), told.value],
        })
    }
  }

  return (until) => {
    for (let note = notes[next]; note !== undefined && note.ns < until; note = notes[next]) {
      add(note.told)
      next += 1
    }
    return { jobs, events, endpoints, assets, artifacts, releases, values }
  }
}
