/** Remembers why machines cannot run containers, for views that must not wait for an answer. */
import type { ContainerSettings } from '../../contract/container.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Fleet } from '../../runtimes/port.ts'

export type Refusals = ReturnType<typeof createRefusals>

type Plan = { readonly container?: ContainerSettings | undefined }

// Age at which an answer is asked for again, ms; source: ours, reading GPUs runs a program.
const FRESH_MS = 5000

export function createRefusals({ fleet, clock }: { readonly fleet: Pick<Fleet, 'refusal'>; readonly clock: Clock }) {
  const answers = new Map<string, { readonly askedAt: number; readonly answer: Promise<string | undefined> }>()
  const latest = new Map<string, string | undefined>()

  /** The answer of the last seconds, or a new one. */
  function ask({ container }: Plan): Promise<string | undefined> {
    if (container === undefined) return Promise.resolve(undefined)
    const key = keyOf(container)
    const known = answers.get(key)
    const askedAt = clock.steady()
    if (known !== undefined && askedAt - known.askedAt < FRESH_MS) return known.answer
    const answer = fleet.refusal({ container }).then((why) => {
      latest.set(key, why)
      return why
    })
    answers.set(key, { askedAt, answer })
    return answer
  }

  return {
    ask,
    /** The latest answer; asks for a new one in the background. */
    latest({ container }: Plan): string | undefined {
      if (container === undefined) return undefined
      void ask({ container })
      return latest.get(keyOf(container))
    },
  }
}

const keyOf = (container: ContainerSettings) => JSON.stringify(container)
