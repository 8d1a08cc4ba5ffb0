export type PictureForm =
  | { readonly kind: 'preview'; readonly isOpaque: boolean; readonly quality: number }
  | { readonly kind: 'rgb' }
  | { readonly kind: 'a' }

const QUALITY = 90

/** @returns undefined for the original file */
export function pictureForm(query: Readonly<Record<string, string>>): PictureForm | undefined {
  const { preview, channel = '' } = query
  if (preview !== undefined) {
    const parts = preview.split(';')
    const last = parts.at(-1) ?? ''
    const quality = /^\d+$/.test(last) ? Math.min(100, Math.max(1, Number(last))) : QUALITY
    return { kind: 'preview', isOpaque: channel === 'rgb' || (parts[0] === 'jpeg' && !channel.includes('a')), quality }
  }
  return channel === 'rgb' || channel === 'a' ? { kind: channel } : undefined
}
