import { useMutation } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { Link } from 'wouter'
import type { RunView } from '../../../src-main/contract/workflows.ts'
import {
  drawSheet,
  layoutSheet,
  type SweepSheet,
  sheetHeading,
} from '../../../src-main/features/workflows/rules/publish/sweep-sheet.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { ADDRESS } from '../../addresses.ts'
import { fileNameOf, saveToDisk } from '../../browser/browser-files.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Dialog.tsx'
import { OtherJobsNote } from '../../ui/jobs/CancelQuestion.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, ErrorNotice, SkeletonRows } from '../../ui/PageStates.tsx'
import { JobStateDot } from '../../ui/StateDot.tsx'
import { mediaKind, RunMedia } from '../workflow-editor/run/RunMedia.tsx'
import { useRunList } from '../workflow-editor/run/run-list.ts'
import { locatedLine, readRunError } from '../workflow-editor/run/run-queries.ts'
import { assetAddress } from '../workflow-editor/widgets/upload-asset.ts'

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
  const notifyError = (text: string) => store.getState().notify({ kind: 'error', text })

  // Waits for all runs, because a partial table is of no use.
  const hasAll = !more
  const count = runs.length
  useEffect(() => {
    if (count > 0 && !hasAll) void list.readMore()
  }, [list, hasAll, count])

  const cancel = useMutation({
    mutationFn: () => client.call('sweepCancel', { path: { sweepId } }),
    onSuccess: ({ cancelled }) =>
      store.getState().notify({ kind: 'done', text: `${counted(cancelled, 'run')} cancelled` }),
    onError: ({ message }) => notifyError(`The sweep was not cancelled: ${message}`),
  })
  const save = useMutation({
    mutationFn: () => sheetImage(all, first?.title ?? 'Sweep'),
    onSuccess: (picture) => saveToDisk(picture, fileNameOf(`${first?.title ?? 'Sweep'} sheet`, '.png'), platform),
    onError: ({ message }) => notifyError(`The picture could not be created: ${message}`),
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
      {error !== undefined && <ErrorNotice error={error} onRetry={list.start} />}
      {phase === 'shown' && all.length === 0 && (
        <EmptyState>The runs of this sweep are no longer stored. Runs stay in the gallery for 30 days.</EmptyState>
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
        Waiting runs never start, and running ones are stopped. Ended runs stay on the sheet.
        <OtherJobsNote jobs={{ sweep: sweepId }} />
      </Confirm>
    </Page>
  )
}

const sheetName = (axes: readonly string[] = []) => (axes.length === 0 ? 'Sweep' : `Sweep over ${axes.join(', ')}`)

export type SweepTableProps = { readonly sheet: Extract<SweepSheet<RunView>, { readonly kind: 'table' }> }

function SweepTable({ sheet }: SweepTableProps) {
  const { rowName, columnName, columns, pages } = sheet
  return pages.map(({ title, rows }) => (
    <div key={title ?? ''} className="flex flex-col gap-2">
      {title !== undefined && <h2 className="text-section font-semibold">{title}</h2>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no pointer scrolls a wide table with the keys */}
      <section aria-label={`Table of ${title ?? 'results'}`} tabIndex={0} className="overflow-x-auto">
        <table className="border-separate border-spacing-2">
          <thead>
            <tr>
              <th scope="col" className="text-left text-small font-normal text-ink-2">
                {rowName} ↓ {columnName} →
              </th>
              {columns.map((column, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a value may stand twice, and its place never changes
                <th key={at} scope="col" className="max-w-44 text-left text-small font-medium break-words">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ heading, cells }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <tr key={at} className="align-top">
                <th
                  scope="row"
                  className="sticky left-0 z-10 max-w-44 bg-surface-0 pr-2 text-left text-small font-medium break-words"
                >
                  {heading}
                </th>
                {cells.map((run, index) => (
                  <td key={run?.id ?? `empty ${index}`} className="w-44 min-w-28">
                    {run !== undefined && <SweepCell run={run} isLabelled={false} />}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  ))
}

function SweepCell({ run, isLabelled }: { readonly run: RunView; readonly isLabelled: boolean }) {
  const [result] = run.results
  const [error] = run.errors
  const label = run.label ?? run.id
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <Link
        to={ADDRESS.run(run.id)}
        aria-label={`Run with ${label}`}
        title={isLabelled ? undefined : label}
        className="flex aspect-square items-center justify-center overflow-hidden rounded-control border border-line bg-surface-2"
      >
        {result === undefined ? (
          <JobStateDot state={run.status} />
        ) : (
          <RunMedia result={result} name={label} isThumbnail className="size-full" />
        )}
      </Link>
      <figcaption className="text-small break-words">
        {isLabelled && label}
        {error !== undefined && <span className="block text-failed-ink">{locatedLine(readRunError(error))}</span>}
      </figcaption>
    </figure>
  )
}

// Dark on white, so that it can be printed and shared.
const [GROUND, INK, QUIET, FIELD] = ['#ffffff', '#111111', '#666666', '#eeeeee']
const FONT = "'Inter Variable', system-ui, sans-serif"

async function sheetImage(runs: readonly RunView[], title: string): Promise<Blob> {
  const sheet = layoutSheet(runs)
  const { width, height, fontPx, texts, pictures } = drawSheet(sheet, sheetHeading(sheet, title))
  const canvas = new OffscreenCanvas(width, height)
  const pen = canvas.getContext('2d')
  if (pen === null) throw new Error('This browser cannot draw a picture of this size.')
  pen.fillStyle = GROUND
  pen.fillRect(0, 0, width, height)
  pen.imageSmoothingQuality = 'high'
  // One at a time, because hundreds of decoded pictures would fill the memory.
  for (const { x, y, size, run } of pictures) {
    const bitmap = await pictureOf(run)
    if (bitmap === undefined) {
      pen.fillStyle = FIELD
      pen.fillRect(x, y, size, size)
      pen.fillStyle = QUIET
      pen.font = `${fontPx}px ${FONT}`
      pen.fillText(run.results[0]?.filename ?? run.status, x + fontPx / 2, y + size / 2, size - fontPx)
      continue
    }
    const scale = Math.min(size / bitmap.width, size / bitmap.height)
    const [w, h] = [bitmap.width * scale, bitmap.height * scale]
    pen.drawImage(bitmap, x + (size - w) / 2, y + (size - h) / 2, w, h)
    bitmap.close()
  }
  pen.fillStyle = INK
  for (const { x, y, text, isBold } of texts) {
    pen.font = `${isBold ? '600 ' : ''}${fontPx}px ${FONT}`
    pen.fillText(text, x, y)
  }
  return canvas.convertToBlob({ type: 'image/png' })
}

async function pictureOf({ results }: RunView): Promise<ImageBitmap | undefined> {
  const result = results.find((one) => mediaKind(one) === 'image')
  if (result === undefined) return undefined
  const response = await fetch(assetAddress(result.asset))
  if (!response.ok) return undefined
  // A damaged picture is skipped and leaves its cell empty.
  return createImageBitmap(await response.blob()).catch(() => undefined)
}
