/**
 * Puts a picture on the clipboard, as a PNG, which is the one form that every browser takes there.
 * @param address of the service
 * @throws Error where the browser does not allow it, or the picture is not kept any more
 */
export async function copyPicture(address: string): Promise<void> {
  // A promise within: what is awaited before it would end the time in which a click allows this.
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': readAsPng(address) })])
}

async function readAsPng(address: string): Promise<Blob> {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error('It is no longer kept.')
  const picture = await answer.blob()
  if (picture.type === 'image/png') return picture
  const bitmap = await createImageBitmap(picture)
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
  bitmap.close()
  return canvas.convertToBlob({ type: 'image/png' })
}
