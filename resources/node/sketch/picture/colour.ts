/** Colours while a pixel is painted: three numbers from 0 to 1 that are changed in place, as there are millions. */

/** Red, green, blue. */
export type Rgb = [red: number, green: number, blue: number]

/** A colour from its six digits. */
export function hex(digits: string): Rgb {
  const value = Number.parseInt(digits, 16)
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255]
}

/** Goes some way from what is there to another colour. @param amount 0 leaves it, 1 replaces it */
export function cover(pixel: Rgb, colour: Readonly<Rgb>, amount: number): void {
  pixel[0] += (colour[0] - pixel[0]) * amount
  pixel[1] += (colour[1] - pixel[1]) * amount
  pixel[2] += (colour[2] - pixel[2]) * amount
}

/** Adds light of a colour to a pixel. */
export function shine(pixel: Rgb, colour: Readonly<Rgb>, amount: number): void {
  pixel[0] += colour[0] * amount
  pixel[1] += colour[1] * amount
  pixel[2] += colour[2] * amount
}

/** Makes it darker or lighter. */
export function dim(pixel: Rgb, factor: number): void {
  pixel[0] *= factor
  pixel[1] *= factor
  pixel[2] *= factor
}

/** A colour between two. */
export function between(one: Readonly<Rgb>, other: Readonly<Rgb>, amount: number): Rgb {
  const colour: Rgb = [...one]
  cover(colour, other, amount)
  return colour
}

/** A colour of a hue in turns, with saturation and lightness from 0 to 1. */
export function hsl(hue: number, saturation: number, lightness: number): Rgb {
  const reach = saturation * Math.min(lightness, 1 - lightness)
  const channel = (offset: number) => {
    const k = (offset + (hue - Math.floor(hue)) * 12) % 12
    return lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))
  }
  return [channel(0), channel(8), channel(4)]
}
