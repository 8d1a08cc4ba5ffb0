import { CircleAlert, CircleCheck, CircleX } from 'lucide-react'
import type { DoctorRow } from '../../src-main/contract/system.ts'

const STYLES = {
  ok: { icon: CircleCheck, word: 'OK', colour: 'text-completed' },
  warning: { icon: CircleAlert, word: 'Warning', colour: 'text-timed-out' },
  failed: { icon: CircleX, word: 'Failed', colour: 'text-failed' },
} as const

export function CheckMark({ state }: Pick<DoctorRow, 'state'>) {
  const { icon: Icon, word, colour } = STYLES[state]
  return (
    <span className="flex h-5 items-center">
      <Icon aria-hidden className={`size-4 ${colour}`} />
      <span className="sr-only">{word}</span>
    </span>
  )
}
