import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, CircleX } from 'lucide-react'
import { Link } from 'wouter'
import type { DoctorFix, DoctorRow } from '../../../../src-main/contract/system.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { Tooltip } from '../../../ui/Tooltip.tsx'
import { FixText } from './FixText.tsx'

const LOOKS = {
  ok: { icon: CircleCheck, word: 'OK', colour: 'text-completed' },
  warning: { icon: CircleAlert, word: 'Warning', colour: 'text-timed-out' },
  failed: { icon: CircleX, word: 'Failed', colour: 'text-failed' },
} as const

/** One check: its verdict, what was seen, and how to fix it, with a button where the service can. */
export function CheckRow({ row }: { readonly row: DoctorRow }) {
  const { check, state, found, fix, action, busy } = row
  const { icon: Icon, word, colour } = LOOKS[state]
  const apply = useFix()
  const working = apply.isPending || busy !== undefined
  return (
    <li className="grid grid-cols-[1rem_minmax(0,1fr)_auto] items-start gap-x-3 gap-y-1 px-3 py-2 md:grid-cols-[1rem_10rem_minmax(0,1fr)_auto]">
      <span className="flex h-5 items-center">
        <Icon aria-hidden className={`size-4 ${colour}`} />
        <span className="sr-only">{word}</span>
      </span>
      <h2 className="truncate font-medium first-letter:uppercase">{check}</h2>
      <div className="col-span-2 col-start-2 row-start-2 flex min-w-0 flex-col gap-0.5 md:col-span-1 md:col-start-3 md:row-start-1">
        <p className="break-words">{found}</p>
        {fix !== undefined && <FixText text={fix} />}
        {action?.action === 'restart-endpoint' && action.target !== undefined && (
          <Link to={ADDRESS.endpoint(action.target, 'logs')} className="text-small text-accent hover:underline">
            Open its log
          </Link>
        )}
        {busy !== undefined && (
          <p role="status" className="text-small text-ink-2">
            Being done: {busy}
          </p>
        )}
        {apply.error !== null && <ErrorNotice error={apply.error} />}
      </div>
      <div className="col-start-3 row-start-1 md:col-start-4">
        {action !== undefined && (
          <Tooltip text={action.effect}>
            <Button onClick={() => apply.mutate(action)} disabled={working}>
              {working ? 'Working' : action.label}
            </Button>
          </Tooltip>
        )}
      </div>
    </li>
  )
}

function useFix() {
  const { client, store } = useApp()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ action, target }: DoctorFix) => {
      const body = { action, ...(target === undefined ? {} : { target }) }
      const done = client.call('doctorFix', { body })
      // A first look at how far it has come; from there on the rows ask by themselves.
      void queries.invalidateQueries({ queryKey: ['doctor'] })
      return done
    },
    onSuccess: ({ done }) => void store.getState().tell({ kind: 'done', text: done }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['doctor'] }),
  })
}
