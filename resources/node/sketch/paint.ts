import { createHash } from 'node:crypto'
import { encode as encodePng } from 'fast-png'
import { encode as encodeJpeg } from 'jpeg-js'
import { withPngTexts } from '../../../src-main/features/workflows/rules/metadata/png.ts'
import type { Picture } from './inputs.ts'

// Longest side in pixels, and quality of 100. Source: ours; about 8 kB.
const PREVIEW_SIDE = 256
const PREVIEW_QUALITY = 72
const [BANDS, CIRCLES] = [6, 7]
// Glyphs of 3 x 5 pixels, a digit a row, its bits from left to right. Source: ours.
const GLYPHS =
  'A25755 B65656 C34443 D65556 E74647 F74644 G34553 H55755 I72227 J11152 K55655 L44447 M57755 N65555 O25552 P65644 ' +
  'Q25573 R65655 S34216 T72222 U55557 V55552 W55775 X55255 Y55222 Z71247 075557 126227 261247 371317 455711 574717 ' +
  '647757 771122 875757 975711 .00002 ,00024 !22202 ?71202 :02020 ;02024 \'22000 "55000 -00700 +02720 (12221 )42224 ' +
  '/11244 {32623 }62326 [64446 ]31113 _00007 &25253 %51245 =07070 *52500'
const FONT = new Map(GLYPHS.split(' ').map((glyph) => [glyph[0], [...glyph.slice(1)].map(Number)]))
const UNKNOWN = [7, 5, 5, 5, 7]
const [GLYPH_WIDTH, LINE_HEIGHT, LINES_MAX] = [4, 7, 6]

type Colour = readonly [number, number, number]

export function pngOf(picture: Picture, texts: Readonly<Record<string, string>>): Uint8Array {
  const { width, height } = picture
  const file = encodePng({ width, height, channels: 3, depth: 8, data: paint(picture) })
  const encoded = Object.entries(texts).map(([keyword, text]) => ({ keyword, text: Buffer.from(text) }))
  return withPngTexts(file, encoded) ?? file
}

/** @param noise 1 hides the picture, 0 shows it as it is */
export function previewOf(picture: Picture, noise: number): string {
  const scale = Math.min(1, PREVIEW_SIDE / Math.max(picture.width, picture.height))
  const [width, height] = [picture.width, picture.height].map((side) => Math.max(1, Math.round(side * scale))) as [
    number,
    number,
  ]
  const pixels = paint({ ...picture, width, height })
  const data = Buffer.alloc(width * height * 4, 255)
  let state = 1
  for (let place = 0; place < width * height; place += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    for (let channel = 0; channel < 3; channel += 1)
      data[place * 4 + channel] = (pixels[place * 3 + channel] ?? 0) * (1 - noise) + (state >>> 24) * noise
  }
  return `data:image/jpeg;base64,${encodeJpeg({ width, height, data }, PREVIEW_QUALITY).data.toString('base64')}`
}

function paint({ width, height, prompt, seed, key, isInverted }: Picture): Uint8Array {
  const chances = createHash('sha512').update(`${seed}\0${prompt}`).digest()
  const chance = (at: number) => (chances[at % chances.length] ?? 0) / 256
  // Settings shift the hue by up to a tenth, so that the same seed and prompt stay recognisable.
  const shift = Number.parseInt(key.slice(0, 4), 16) / 0x10000 / 10
  const pixels = new Uint8Array(width * height * 3)
  const fill = (left: number, top: number, right: number, bottom: number, [red, green, blue]: Colour) => {
    for (let y = Math.max(0, Math.round(top)); y < Math.min(height, Math.round(bottom)); y += 1)
      for (let x = Math.max(0, Math.round(left)); x < Math.min(width, Math.round(right)); x += 1) {
        const at = (y * width + x) * 3
        pixels[at] = red
        pixels[at + 1] = green
        pixels[at + 2] = blue
      }
  }
  const [from, to] = [chance(0) + shift, chance(1) + shift]
  for (let band = 0; band < BANDS; band += 1) {
    const colour = colourOf(from + ((to - from) * band) / BANDS, 0.25 + (0.5 * band) / BANDS)
    fill(0, (height * band) / BANDS, width, (height * (band + 1)) / BANDS, colour)
  }
  for (let circle = 0; circle < CIRCLES; circle += 1) {
    const at = 2 + circle * 4
    const radius = Math.min(width, height) * (0.05 + 0.2 * chance(at))
    const [middleX, middleY] = [width * chance(at + 1), height * chance(at + 2)]
    const colour = colourOf(chance(at + 3) + shift, 0.6)
    for (let y = Math.floor(middleY - radius); y < middleY + radius; y += 1) {
      const half = Math.sqrt(Math.max(0, radius ** 2 - (y - middleY) ** 2))
      fill(middleX - half, y, middleX + half, y + 1, colour)
    }
  }
  write(prompt, width, height, fill)
  return isInverted ? pixels.map((value) => 255 - value) : pixels
}

function write(
  text: string,
  width: number,
  height: number,
  fill: (left: number, top: number, right: number, bottom: number, colour: Colour) => void,
): void {
  const scale = Math.max(1, Math.floor(Math.min(width, height) / 128))
  const lines = linesOf(text, Math.floor(width / scale / GLYPH_WIDTH) - 2)
  const top = height - (lines.length * LINE_HEIGHT + 2) * scale
  if (lines.length > 0) fill(0, top - 2 * scale, width, height, [20, 20, 24])
  for (const [row, line] of lines.entries()) {
    for (const [column, character] of [...line].entries()) {
      const glyph = character === ' ' ? [] : (FONT.get(character) ?? UNKNOWN)
      for (const [y, bits] of glyph.entries()) {
        for (let x = 0; x < 3; x += 1) {
          if (((bits >> (2 - x)) & 1) === 0) continue
          const [toX, toY] = [(GLYPH_WIDTH * (column + 1) + x) * scale, top + (row * LINE_HEIGHT + y + 1) * scale]
          fill(toX, toY, toX + scale, toY + scale, [240, 240, 240])
        }
      }
    }
  }
}

/** Whole words where they fit. @param most characters of a line */
function linesOf(text: string, most: number): readonly string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase()
  const lines: string[] = []
  for (const word of plain.match(/\S+/g) ?? []) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= most) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word.slice(0, Math.max(0, most)))
  }
  return lines.slice(0, LINES_MAX)
}

/** A colour by hue, of which 1 is a full turn, and lightness, at 60 % saturation. */
function colourOf(hue: number, lightness: number): Colour {
  const strength = 0.6 * Math.min(lightness, 1 - lightness)
  const channel = (offset: number) => {
    const place = (offset + hue * 12) % 12
    return Math.round(255 * (lightness - strength * Math.max(-1, Math.min(place - 3, 9 - place, 1))))
  }
  return [channel(0), channel(8), channel(4)]
}
