import { TriangleAlert, X } from 'lucide-react'
import { useState } from 'react'
import { limit } from '../../../../src-main/contract/limits.ts'
import type { WorkflowDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { setWidget } from '../../../../src-main/features/workflows/rules/edit/widgets.ts'
import { whereIs } from '../../../../src-main/features/workflows/rules/payload-ids.ts'
import type { Problem } from '../../../../src-main/features/workflows/rules/problem.ts'
import type { WantedFile } from '../../../../src-main/features/workflows/rules/runs/payload-files.ts'
import type { Caller } from '../../../api-client/client.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import type { FoundProblem } from '../problems/find-problems.ts'
import { titleOf, useJump, useProblems } from '../problems/use-problems.ts'
import { type Tab, useEditor, useRuns, useTab } from '../store/editor-store.ts'
import type { Refusal } from '../store/run-store.ts'
import { readAsset, uploadAsset } from '../widgets/upload-asset.ts'
import { refusalText } from './prepare-runs.ts'
import { undoLater } from './ResultActions.tsx'

const SHOWN = 4

export function RefusalNotice() {
  const { runs } = useTab()
  const refusal = useRuns((state) => state.refusal)
  const problems = useProblemsLeft(refusal)
  if (refusal === undefined || problems === undefined) return null
  const { tooLarge } = refusal
  const message = problems.length === refusal.problems.length ? refusal.message : refusalText(problems.length)
  const more = problems.length - SHOWN
  return (
    <div
      role="alert"
      className="flex max-w-xl items-start gap-2 rounded-t-control bg-failed-soft py-2 pr-1 pl-3 text-failed-ink"
    >
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1">
        <p className="break-words">{message}</p>
        {tooLarge !== undefined && <ScalePictures files={tooLarge} />}
        {problems.length > 0 && (
          <ul className="mt-1 flex flex-col gap-0.5">
            {problems.slice(0, SHOWN).map((problem) => (
              <li key={keyOf(problem)}>
                <ProblemLine problem={problem} />
              </li>
            ))}
            {more > 0 && <li className="text-small">and {more} more</li>}
          </ul>
        )}
      </div>
      <div className="-my-1">
        <IconButton label="Close" icon={<X />} onClick={() => runs.getState().set({ refusal: undefined })} />
      </div>
    </div>
  )
}

/** The problems of a refusal that the graph still has. @returns undefined if it had some and has none of them now */
function useProblemsLeft(refusal: Refusal | undefined): readonly Problem[] | undefined {
  const document = useEditor((state) => state.document)
  const found = useProblems()
  const [refused, setRefused] = useState({ refusal, document })
  if (refused.refusal !== refusal) setRefused({ refusal, document })
  const problems = refusal?.problems ?? []
  // The check may not have reached the graph that was refused.
  if (problems.length === 0 || refused.refusal !== refusal || refused.document === document) return problems
  const keys = new Set(found.problems.map(keyOf))
  const left = problems.filter((problem) => keys.has(keyOf(problem)))
  return left.length === 0 ? undefined : left
}

const keyOf = ({ node, input, code }: Pick<FoundProblem, 'node' | 'input' | 'code'>) => `${node} ${input} ${code}`

function ProblemLine({ problem: { node, message } }: { readonly problem: Problem }) {
  const jump = useJump()
  const { editor } = useTab()
  if (node === undefined) return <span>{message}</span>
  return (
    <button
      type="button"
      onClick={() => jump(node)}
      className="text-left underline decoration-dotted underline-offset-2 hover:decoration-solid"
    >
      {titleOf(editor.getState(), node)} {node}: {message}
    </button>
  )
}

function ScalePictures({ files }: { readonly files: readonly WantedFile[] }) {
  const { client, store } = useApp()
  const tab = useTab()
  const set = useRuns((state) => state.set)
  const [isBusy, setBusy] = useState(false)
  const scale = async () => {
    setBusy(true)
    const { notify } = store.getState()
    try {
      const names = await scalePictures({ client, tab }, files)
      set({ refusal: undefined })
      notify({ kind: 'done', text: `Scaled down: ${names.join(', ')}`, undo: undoLater(tab, store) })
    } catch (error) {
      notify({ kind: 'error', text: `The pictures were not scaled: ${(error as Error).message}` })
    }
    setBusy(false)
  }
  return (
    <Button disabled={isBusy} onClick={() => void scale()} className="mt-1.5 text-ink">
      {isBusy ? 'Scaling …' : 'Scale pictures down'}
    </Button>
  )
}

// Scales a graph's pictures to fit its job: each gets a share of the limit and a new name, which the nodes then use.
// Source: docs/spec/image-workflows.md, 5.

// Base64 takes four characters for three bytes, and the graph needs some space too.
const SHARE = (3 / 4) * 0.9
const TRIES = 6
const SMALLER = 0.8

/**
 * One undo step.
 * @returns the new names
 * @throws Error, ApiError with a reason for the user
 */
async function scalePictures(
  { client, tab }: { readonly client: Caller; readonly tab: Pick<Tab, 'editor'> },
  files: readonly WantedFile[],
): Promise<readonly string[]> {
  const names = new Set(files.map(({ name }) => name))
  const most = Math.floor((limit('runImagesBytes') * SHARE) / names.size)
  const scaled = new Map<string, string>()
  for (const name of names) {
    const { assets } = await client.call('assetFind', { query: { name } })
    const [asset] = assets
    if (asset === undefined || asset.bytes <= most) continue
    const picture = await scaleTo(await readAsset(asset.id, `${name} is no longer stored.`), most, name)
    const uploaded = await uploadAsset(client, picture, scaledName(name, picture.type))
    scaled.set(name, uploaded.name ?? name)
  }
  if (scaled.size === 0) throw new Error('No picture on this machine needs scaling.')
  const { edit, types } = tab.editor.getState()
  const use = (document: WorkflowDocument, { node: payloadId, input, name }: WantedFile) => {
    const [found, value] = [whereIs(document, payloadId), scaled.get(name)]
    if (found === undefined || value === undefined) return document
    return setWidget(document, found.at, { node: found.node, name: input, value, types })
  }
  edit('Scale pictures down', (document) => files.reduce(use, document))
  return [...scaled.values()]
}

async function scaleTo(file: Blob, most: number, name: string): Promise<Blob> {
  const bitmap = await createImageBitmap(file).catch((cause: unknown) => {
    throw new Error(`${name} is not a picture that a browser can scale.`, { cause })
  })
  // Only PNG has the transparency that a mask needs.
  const type = file.type === 'image/png' ? 'image/png' : 'image/jpeg'
  let factor = Math.sqrt(most / file.size)
  for (let left = TRIES; left > 0; left--) {
    const [width, height] = [bitmap.width, bitmap.height].map((side) => Math.max(1, Math.round(side * factor)))
    const canvas = new OffscreenCanvas(width ?? 1, height ?? 1)
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
    const scaled = await canvas.convertToBlob({ type, quality: 0.92 })
    if (scaled.size <= most) return scaled
    factor *= SMALLER
  }
  throw new Error(`${name} could not be made small enough.`)
}

const scaledName = (name: string, type: string) =>
  `${name.replace(/\.[^./]*$/, '')}-scaled.${type === 'image/png' ? 'png' : 'jpg'}`
