import type { FailedStep, ImageBuildEvent, WorkflowLock } from '../../../contract/worker-images.ts'
import { durationText, keepStart } from '../../../lib/text.ts'
import { normaliseName } from '../../apps/rules/requirements.ts'
import type { ImageStep } from './dockerfile.ts'

export type BuiltStep = {
  readonly title: string
  readonly state: 'cached' | 'new'
  readonly tookMs: number
}

export type BuildNews = { readonly kind: 'step' | 'line'; readonly text: string }

export type TimeLeft = {
  readonly ms: number
  readonly unknownSteps: number
}

// Lines of a failed step that are shown, and characters of each. Source: ours, so that all of it fits a terminal.
const LAST_LINES = 8
const LINE_LENGTH = 160
const NO_NEWS =
  /^\s*$|^WARNING: Running pip as|^\[notice\]|^note: This (error originates|is an issue with)|^\s*\[end of output\]/

type Running = {
  step: ImageStep
  state: 'waits' | 'started' | 'cached' | 'done' | 'failed'
  sinceMs: number
  tookMs: number
}

// Of each step, as a build may print without end; source: ours.
const KEPT_LINES = 500
const KEPT_CHARACTERS = 16_384

export function createBuildProgress(steps: readonly ImageStep[], earlier: Readonly<Record<string, number>>) {
  const running: Running[] = steps.map((step) => ({ step, state: 'waits', sinceMs: 0, tookMs: 0 }))
  const byText = new Map(running.map((one) => [plain(one.step.instruction), one]))
  const byVertex = new Map<string, Running>()
  const lines = new Map<Running, string[]>()
  const rest = new Map<Running, string>()

  function onOutput(one: Running, text: string): string | undefined {
    const parts = `${rest.get(one) ?? ''}${text}`.split(/[\r\n]+/)
    rest.set(one, (parts.pop() ?? '').slice(-KEPT_CHARACTERS))
    const news = parts.filter((line) => !NO_NEWS.test(line))
    lines.set(one, [...(lines.get(one) ?? []), ...news].slice(-KEPT_LINES))
    return news.at(-1)
  }

  function timeLeft(now: number): TimeLeft | undefined {
    const first = running.findIndex(({ state }) => state === 'started')
    if (first === -1) return undefined
    const left = running.slice(first).filter(({ state }) => state === 'started' || state === 'waits')
    const known = left.flatMap((one) => {
      const ms = earlierMs(earlier, one.step)
      return ms === undefined ? [] : [Math.max(0, ms - (one.state === 'started' ? now - one.sinceMs : 0))]
    })
    return { ms: known.reduce((sum, ms) => sum + ms, 0), unknownSteps: left.length - known.length }
  }

  return {
    timeLeft,
    take(event: ImageBuildEvent, now: number): BuildNews | undefined {
      if (event.kind === 'output') {
        const one = byVertex.get(event.id)
        const line = one && onOutput(one, event.text)
        if (one === undefined || line === undefined) return undefined
        return {
          kind: 'line',
          text: `${positionOf(one)}${leftText(timeLeft(now))}: ${keepStart(line.trim(), LINE_LENGTH)}`,
        }
      }
      const name = event.name.replace(/^\[[^\]]*\] /, '')
      const base = BASE_IMAGE.test(name) ? running[0] : undefined
      const one = base ?? byText.get(plain(name))
      if (one === undefined || (base !== undefined && event.state !== 'started' && event.state !== 'failed'))
        return undefined
      byVertex.set(event.id, one)
      if (event.state === 'waits' || isOver(one)) return undefined
      if (event.state === 'started') {
        if (one.state === 'started') return undefined
        Object.assign(one, { state: 'started', sinceMs: now })
        return { kind: 'step', text: `${positionOf(one)}${leftText(timeLeft(now))}` }
      }
      const tookMs = event.state === 'cached' ? 0 : (event.tookMs ?? now - one.sinceMs)
      Object.assign(one, { state: event.state, tookMs })
      return event.state === 'cached' ? { kind: 'step', text: `${positionOf(one)}: CACHED` } : undefined
    },
    built: (): readonly BuiltStep[] =>
      running.map(({ step, state, tookMs }) => ({
        title: step.title,
        state: state === 'cached' ? 'cached' : 'new',
        tookMs,
      })),
    times: (): Readonly<Record<string, number>> =>
      Object.fromEntries(
        running
          .filter(({ state }) => state === 'done')
          .flatMap(({ step, tookMs }) => keysOf(step).map((key) => [key, Math.round(tookMs)])),
      ),
    failure(lock: Pick<WorkflowLock, 'python'>, reason: string): FailedStep | undefined {
      const failed = running.find(({ state }) => state === 'failed') ?? running.find(({ state }) => state === 'started')
      if (failed === undefined) return undefined
      const all = [...(lines.get(failed) ?? []), ...(rest.get(failed) ?? '').split('\n')].filter(
        (line) => !NO_NEWS.test(line),
      )
      const name = packageIn(all)
      const [, exitCode] = /exit (?:code|status):? (\d+)/.exec(reason) ?? []
      return {
        number: running.indexOf(failed) + 1,
        of: running.length,
        title: failed.step.title,
        package: name,
        wantedBy: lock.python.find((one) => normaliseName(one.name) === normaliseName(name ?? ''))?.wantedBy ?? [],
        exitCode: exitCode === undefined ? undefined : Number(exitCode),
        lastLines: all.slice(-LAST_LINES).map((line) => keepStart(line, LINE_LENGTH)),
      }
    },
  }

  function positionOf(one: Running): string {
    return `step ${running.indexOf(one) + 1} of ${running.length}, ${one.step.title}`
  }
}

const BASE_IMAGE = /^(FROM|load metadata for) /

const isOver = ({ state }: Running) => state === 'cached' || state === 'done' || state === 'failed'

const plain = (instruction: string) => instruction.replaceAll('\\\n', ' ').replace(/\s+/g, ' ').trim()

const keysOf = ({ id, title }: ImageStep): readonly string[] => [title, id]

function earlierMs(earlier: Readonly<Record<string, number>>, step: ImageStep): number | undefined {
  return keysOf(step).flatMap((key) => earlier[key] ?? [])[0]
}

function leftText(left: TimeLeft | undefined): string {
  if (left === undefined || (left.ms === 0 && left.unknownSteps === 0)) return ''
  if (left.ms === 0) return ' (time left unknown: first build)'
  return left.unknownSteps === 0
    ? ` (about ${durationText(left.ms)} left)`
    : ` (more than ${durationText(left.ms)} left)`
}

// Names in the output of pip, the surest first. Source: pip 23 to 25.
const PACKAGE_LINES = [
  /ERROR: (?:Could not find a version that satisfies the requirement|No matching distribution found for) ([\w.-]+)/,
  /(?:ERROR: Failed building wheel for|Failed to build) ([\w.-]+)/,
  /^\s{4}([\w.-]+)==\S+ from /,
  /ERROR: Cannot install ([\w.-]+)/,
  /(?:Building wheel for|Collecting) ([\w.-]+)/,
]

function packageIn(lines: readonly string[]): string | undefined {
  for (const pattern of PACKAGE_LINES) {
    const found = lines.map((line) => pattern.exec(line)?.[1]).filter((name) => name !== undefined)
    const name = found.at(-1)
    if (name !== undefined) return name.replace(/(?<=\w)[=<>!~].*$/, '')
  }
  return undefined
}
