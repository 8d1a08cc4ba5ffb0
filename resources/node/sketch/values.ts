/** What flows along the links of a graph. */

/** A picture with colours from 0 to 1: red, green and blue of each pixel, row by row. */
export type Raster = { readonly width: number; readonly height: number; readonly pixels: Float32Array }

/** One value from 0 to 1 a pixel. */
export type Mask = { readonly width: number; readonly height: number; readonly values: Float32Array }

/** What the stand-in has in place of weights: names, which change the look a little. */
export type Model = { readonly style: string; readonly shift: number }

/** A word of a prompt; its strength is 1 where nothing was said. */
export type Word = { readonly text: string; readonly strength: number }

/** Words of prompts, and how closely they are followed. */
export type Conditioning = { readonly words: readonly Word[]; readonly guidance: number | undefined }

/**
 * A picture that the denoiser knows: its colours in the cells of the latent, and what they leave out, painted when it
 * is decoded.
 */
export type Known = {
  /** The colours at a size in cells: CHANNELS values each. */
  readonly cells: (width: number, height: number) => Float32Array
  /** The picture at a size in pixels. */
  readonly paint: (width: number, height: number, signal: AbortSignal) => Promise<Float32Array>
}

/** Channels of a latent: red, green, blue from -1 to 1, and how much of the details is there. */
export const CHANNELS = 4

/** Pixels of a cell's side, as in latents of the field. */
export const CELL = 8

/** One picture of a batch, by cells. */
export type LatentItem = {
  readonly cells: Float32Array
  /** What it shows, for the details that cells have no room for; missing for an empty one. */
  readonly known: Known | undefined
  /** Which composition it has; a later pass over it keeps it. */
  readonly layout: number | undefined
}

/** A batch of pictures by cells. */
export type Latent = {
  readonly width: number
  readonly height: number
  readonly items: readonly LatentItem[]
  /** In cells: 1 where a sampler may change it. */
  readonly mask: Float32Array | undefined
}

/** Where noise comes from: a seed up to 2^64-1, or none at all. */
export type Noise = { readonly seed: bigint } | 'none'

/** What a sampler follows. */
export type Guider = {
  readonly model: Model
  readonly positive: Conditioning
  readonly negative: Conditioning | undefined
  readonly cfg: number
}

/** A value of an output. */
export type Value =
  | { readonly kind: 'MODEL'; readonly model: Model }
  | { readonly kind: 'CLIP'; readonly style: string }
  | { readonly kind: 'VAE' }
  | { readonly kind: 'CONDITIONING'; readonly conditioning: Conditioning }
  | { readonly kind: 'LATENT'; readonly latent: Latent }
  | { readonly kind: 'IMAGE'; readonly images: readonly Raster[] }
  | { readonly kind: 'MASK'; readonly mask: Mask }
  | { readonly kind: 'NOISE'; readonly noise: Noise }
  | { readonly kind: 'SAMPLER'; readonly name: string }
  | { readonly kind: 'SIGMAS'; readonly sigmas: readonly number[] }
  | { readonly kind: 'GUIDER'; readonly guider: Guider }
  | { readonly kind: 'PLAIN'; readonly text: string }

/** Kinds of values. */
export type Kind = Value['kind']
