import { useQueryClient } from '@tanstack/react-query'
import { Workflow } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { WorkflowView } from '../../../../src-main/contract/workflows.ts'
import { useApp } from '../../../store/app-context.ts'
import { filesOf } from '../../workflow-editor/files/tabs-of.ts'
import { assetAddress } from '../../workflow-editor/widgets/upload-asset.ts'
import { type LibraryList, WORKFLOWS } from './queries.ts'

/**
 * The small picture of a workflow: what its last run gave, else its graph. One that has none, or one of an older text, is drawn when
 * it comes into sight.
 */
export function Thumbnail({ workflow }: { readonly workflow: WorkflowView }) {
  const { id, version, draft, thumbnail, thumbnailOld = false, result } = workflow
  const place = useRef<HTMLSpanElement>(null)
  const app = useApp()
  const queries = useQueryClient()
  const shown = result ?? thumbnail
  const isMissing = result === undefined && (thumbnail === undefined || thumbnailOld)
  useEffect(() => {
    const element = place.current
    if (element === null || !isMissing) return
    const watch = new IntersectionObserver((seen) => {
      if (seen.some((one) => one.isIntersecting)) void draw()
    })
    async function draw(): Promise<void> {
      watch.disconnect()
      const drawn = await filesOf(app).thumbnails.draw({ id, version, draft })
      if (drawn === undefined) return
      queries.setQueryData<LibraryList>(
        WORKFLOWS,
        (list) =>
          list && {
            workflows: list.workflows.map((one) =>
              one.id === id ? { ...one, thumbnail: drawn, thumbnailOld: false } : one,
            ),
          },
      )
    }
    watch.observe(element)
    return () => watch.disconnect()
  }, [isMissing, id, version, draft, app, queries])
  return (
    <span ref={place} className="grid size-full min-h-0 place-items-center">
      {shown === undefined ? (
        <Workflow aria-hidden className="size-8 stroke-[1.25] text-ink-2" />
      ) : (
        <img
          src={assetAddress(shown)}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          className="size-full object-contain"
        />
      )}
    </span>
  )
}
