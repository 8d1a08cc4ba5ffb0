import { TriangleAlert } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { counted } from '../../../../src-main/lib/text.ts'
import { Button } from '../../../ui/Button.tsx'
import { keepFocusAbove } from '../../../ui/use-address.ts'
import type { Effect, SettingChange } from './settings-draft.ts'
import type { SettingsForm } from './use-settings.ts'

export type SaveBarProps = {
  readonly form: SettingsForm
  readonly workers: number
  readonly running: number
}

export function SaveBar({ form, workers, running }: SaveBarProps) {
  const { read, draft, saving, refusal } = form
  const bar = useRef<HTMLElement>(null)
  const { changes, faults, conflicts } = read
  const isShown = Object.keys(draft).length > 0
  useEffect(() => (isShown && bar.current !== null ? keepFocusAbove(bar.current) : undefined), [isShown])
  if (!isShown) return null
  const wrong = Object.keys(faults).length
  const clashes = Object.keys(conflicts).length
  return (
    <section
      aria-label="Unsaved changes"
      ref={bar}
      className="enters sticky -bottom-4 z-20 -mx-1 rounded-control border border-line-strong bg-surface-1 shadow-float"
    >
      {changes.length > 0 && (
        <ul className="max-h-40 overflow-y-auto border-b border-line px-3 py-2">
          {changes.map((change) => (
            <ChangeLine key={change.field.path} {...change} />
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2">
        {/* At the left, because notices appear at the right. */}
        <Button
          kind="main"
          onClick={() => void form.save()}
          disabled={saving || wrong + clashes > 0 || changes.length === 0}
        >
          {saving ? 'Saving' : `Save ${counted(changes.length, 'change')}`}
        </Button>
        <Button kind="quiet" onClick={form.discard} disabled={saving}>
          Discard all
        </Button>
        <div className="min-w-60 flex-1" aria-live="polite">
          {refusal !== undefined && <Warning text={refusal} />}
          {wrong > 0 && (
            <Warning
              text={`${counted(wrong, 'field')} cannot be saved. ${wrong === 1 ? 'Its message says why.' : 'Their messages say why.'}`}
            />
          )}
          {clashes > 0 && (
            <Warning text="The same settings were changed elsewhere meanwhile. Choose which values to keep before you save." />
          )}
          {wrong + clashes === 0 && <p>{effectText(changes, { workers, running })}</p>}
        </div>
      </div>
    </section>
  )
}

function ChangeLine({ field, before, after }: SettingChange) {
  return (
    <li className="flex min-w-0 flex-wrap gap-x-2">
      <span className="font-medium">{field.label}</span>
      <span className="min-w-0 break-words text-ink-2">
        <del className="no-underline">{before}</del> <span aria-hidden>→</span> <span className="sr-only">becomes</span>{' '}
        <ins className="text-ink no-underline">{after}</ins>
      </span>
    </li>
  )
}

function Warning({ text }: { readonly text: string }) {
  return (
    <p className="flex items-start gap-2 text-failed-ink">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0 break-words">{text}</span>
    </p>
  )
}

export function effectText(
  changes: readonly Pick<SettingChange, 'effect'>[],
  { workers, running }: { readonly workers: number; readonly running: number },
): string {
  const has = (effect: Effect) => changes.some((change) => change.effect === effect)
  if (changes.length === 0) return 'No changes.'
  if (has('workers')) {
    if (workers === 0) return 'No worker is running: the next one starts with the new settings.'
    const jobs = running === 0 ? '' : ` They finish ${counted(running, 'job')} first.`
    return `Replaces ${counted(workers, 'worker')}: new ones start with the new settings.${jobs}`
  }
  if (has('jobs')) return 'Applies to new jobs. No worker is replaced.'
  return 'Takes effect at once. No worker is replaced.'
}
