/** Remembers why machines cannot run containers, for views that must not wait for an answer. */
import type { ContainerSettings } from '../../contract/container.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Fleet } from '../../runtimes/port.ts'

export type Refusals = ReturnType<typeof createRefusals>

type Plan = { readonly container?: ContainerSettings | undefined }

type Asked = { readonly askedAt: number; answer: Promise<string | undefined>; latest: string | undefined }

// Age at which an answer is asked for again, ms; source: ours, reading GPUs runs a program.
const FRESH_MS = 5000

export function createRefusals({ fleet, clock }: { readonly fleet: Pick<Fleet, 'refusal'>; readonly clock: Clock }) {
  const known = new Map<string, Asked>()

  function ask({ container }: Plan): Promise<string | undefined> {
    if (container === undefined) return Promise.resolve(undefined)
    const key = keyOf(container)
    const before = known.get(key)
    const askedAt = clock.steady()
    if (before !== undefined && askedAt - before.askedAt < FRESH_MS) return before.answer
    const asked: Asked = { askedAt, answer: fleet.refusal({ container }), latest: before?.latest }
    known.set(key, asked)
    asked.answer = asked.answer.then((why) => {
      asked.latest = why
      return why
    })
    return asked.answer
  }

  return {
    ask,
    /** The latest answer; asks for a new one in the background. */
    latest({ container }: Plan): string | undefined {
      if (container === undefined) return undefined
      void ask({ container })
      return known.get(keyOf(container))?.latest
    },
  }
}

const keyOf = (container: ContainerSettings) => JSON.stringify(container)
