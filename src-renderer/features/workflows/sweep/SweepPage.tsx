import { useMutation } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { layoutSheet } from '../../../../src-main/domain/workflow/publish/sweep-sheet.ts'
import { ADDRESS } from '../../../addresses.ts'
import { fileNameOf, saveToDisk } from '../../../platform/browser-files.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { counted } from '../../../ui/format.ts'
import { Page } from '../../../ui/Page.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { useRunList } from '../../workflow-editor/run/use-run-list.ts'
import { SweepCell } from './SweepCell.tsx'
import { SweepTable } from './SweepTable.tsx'
import { sheetImage } from './sheet-image.ts'

/** The runs of a sweep on one sheet: a table over two inputs, several over three, else each under what sets it apart. */
export function SweepPage({ sweepId }: { readonly sweepId: string }) {
  const { client, platform, store } = useApp()
  const { phase, error, runs, fresh, more, list } = useRunList({ sweep: sweepId })
  const [isAsking, setIsAsking] = useState(false)
  const all = useMemo(() => [...fresh, ...runs].toReversed(), [fresh, runs])
  const sheet = useMemo(() => layoutSheet(all), [all])
  const [first] = all
  const workflow = first?.workflowId
  const ended = all.filter(({ endedAt }) => endedAt !== undefined).length
  const open = all.length - ended
  const tellError = (text: string) => store.getState().tell({ kind: 'error', text })

  // A table is no table until all of it is here.
  const hasAll = !more
  const count = runs.length
  useEffect(() => {
    if (count > 0 && !hasAll) void list.readMore()
  }, [list, hasAll, count])

  const cancel = useMutation({
    mutationFn: () => client.call('sweepCancel', { path: { sweepId } }),
    onSuccess: ({ cancelled }) =>
      store.getState().tell({ kind: 'done', text: `${counted(cancelled, 'run')} cancelled` }),
    onError: ({ message }) => tellError(`The sweep was not cancelled: ${message}`),
  })
  const save = useMutation({
    mutationFn: () => sheetImage(all, first?.title ?? 'Sweep'),
    onSuccess: (picture) => saveToDisk(picture, fileNameOf(`${first?.title ?? 'Sweep'} sheet`, '.png'), platform),
    onError: ({ message }) => tellError(`The picture was not made: ${message}`),
  })

  const crumbs = [
    { name: 'Workflows', to: ADDRESS.workflows },
    ...(first === undefined || workflow === undefined ? [] : [{ name: first.title, to: ADDRESS.workflow(workflow) }]),
    { name: 'Sweeps', to: ADDRESS.sweeps },
    { name: first?.label === undefined ? 'Sweep' : sheetName(first.cell?.axes.map(({ name }) => name)) },
  ]
  return (
    <Page
      crumbs={crumbs}
      state={all.length > 0 && <span className="text-ink-2">{`${ended} of ${all.length} ended`}</span>}
      actions={
        all.length > 0 && (
          <>
            <Button disabled={save.isPending || ended === 0 || !hasAll} onClick={() => save.mutate()}>
              {save.isPending ? 'Painting' : 'Save as one picture'}
            </Button>
            {open > 0 && (
              <Button kind="danger" disabled={cancel.isPending} onClick={() => setIsAsking(true)}>
                {cancel.isPending ? 'Cancelling' : 'Cancel the sweep'}
              </Button>
            )}
          </>
        )
      }
    >
      {phase === 'loading' && <SkeletonRows rows={6} />}
      {error !== undefined && (
        <ErrorNotice error={error} action={<Button onClick={() => void list.start()}>Try again</Button>} />
      )}
      {phase === 'shown' && all.length === 0 && (
        <EmptyState>No run of this sweep is kept any more. Runs are kept in the gallery for 30 days.</EmptyState>
      )}
      {sheet.kind === 'table' ? (
        <SweepTable sheet={sheet} />
      ) : (
        <ol aria-label="Contact sheet" className="grid grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] gap-3">
          {all.map((run) => (
            <li key={run.id}>
              <SweepCell run={run} isLabelled />
            </li>
          ))}
        </ol>
      )}
      <Confirm
        open={isAsking}
        onOpenChange={setIsAsking}
        action={`Cancel ${counted(open, 'run')}`}
        onConfirm={() => cancel.mutate()}
      >
        Those that wait never run, and those that run are stopped. What has ended stays on the sheet.
      </Confirm>
    </Page>
  )
}

const sheetName = (axes: readonly string[] = []) => (axes.length === 0 ? 'Sweep' : `Sweep over ${axes.join(', ')}`)
