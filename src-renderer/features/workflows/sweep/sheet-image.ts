/** The sheet of a sweep as a picture, painted by the browser. */
import type { RunView } from '../../../../src-main/contract/workflows.ts'
import { drawSheet, layoutSheet, sheetHeading } from '../../../../src-main/domain/workflow/publish/sweep-sheet.ts'
import { mediaKind } from '../../workflow-editor/run/RunMedia.tsx'
import { assetAddress } from '../../workflow-editor/widgets/upload-asset.ts'

// Dark on white, so that it can be printed and sent to anybody.
const [GROUND, INK, QUIET, FIELD] = ['#ffffff', '#111111', '#666666', '#eeeeee']
const FONT = "'Inter Variable', system-ui, sans-serif"

/** Paints all runs with their labels. @param title of the workflow @returns a PNG */
export async function sheetImage(runs: readonly RunView[], title: string): Promise<Blob> {
  const sheet = layoutSheet(runs)
  const { width, height, fontPx, texts, pictures } = drawSheet(sheet, sheetHeading(sheet, title))
  const canvas = new OffscreenCanvas(width, height)
  const pen = canvas.getContext('2d')
  if (pen === null) throw new Error('This browser paints no picture of this size.')
  pen.fillStyle = GROUND
  pen.fillRect(0, 0, width, height)
  pen.imageSmoothingQuality = 'high'
  // One after the other: hundreds of decoded pictures would fill the memory.
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
  // A damaged one leaves its cell empty.
  return createImageBitmap(await response.blob()).catch(() => undefined)
}
