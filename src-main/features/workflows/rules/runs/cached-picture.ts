/** Results that a node keeps in memory under an id. Source: comfyui-tooling-nodes, `ETN_SaveImageCache`, for Krita. */
export const cachedPictureName = (id: string, format: string): string => `etn_${id}.${format}`

export function cachedPictureId(filename: string): string | undefined {
  return /^etn_([\w-]+)\.\w+$/.exec(filename)?.[1]
}
