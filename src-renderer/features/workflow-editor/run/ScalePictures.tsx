import { useState } from 'react'
import type { WantedFile } from '../../../../src-main/domain/workflow/view/images-of.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { useRuns, useTab } from '../store/editor-context.ts'
import { scalePictures } from './scale-pictures.ts'
import { undoLater } from './undo-later.ts'

/** Offers to scale the pictures down that are too large to go with a run. */
export function ScalePictures({ files }: { readonly files: readonly WantedFile[] }) {
  const { client, store } = useApp()
  const tab = useTab()
  const set = useRuns((state) => state.set)
  const [isBusy, setBusy] = useState(false)
  const scale = async () => {
    setBusy(true)
    const { tell } = store.getState()
    try {
      const names = await scalePictures({ client, tab }, files)
      set({ refusal: undefined })
      tell({ kind: 'done', text: `Scaled down: ${names.join(', ')}`, undo: undoLater(tab, store) })
    } catch (error) {
      tell({ kind: 'error', text: `The pictures were not scaled: ${(error as Error).message}` })
    }
    setBusy(false)
  }
  return (
    <Button disabled={isBusy} onClick={() => void scale()} className="mt-1.5 text-ink">
      {isBusy ? 'Scaling …' : 'Scale the pictures down'}
    </Button>
  )
}
