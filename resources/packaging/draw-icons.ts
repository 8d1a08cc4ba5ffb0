/**
 * Renders desktop icons from src-renderer/icon.svg with Chromium; commit the results, as no build renders them: `node
 * resources/packaging/draw-icons.ts`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const ROOT = join(import.meta.dirname, '..', '..')
const OUT = join(ROOT, 'resources', 'icons')
const SIZES = [16, 32, 64, 128, 256, 512]
// macOS menu bars are 22 points high; the icon is only the shape, in black.
const TRAY_SIZE = 22

const svg = readFileSync(join(ROOT, 'src-renderer', 'icon.svg'), 'utf8')
const shape = svg.replace(/<rect[^>]*\/>/, '').replace('fill="#fff"', 'fill="#000"')
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
try {
  mkdirSync(join(OUT, 'tray'), { recursive: true })
  for (const size of SIZES) await draw(svg, size, 1, `${size}x${size}.png`)
  await draw(shape, TRAY_SIZE, 1, 'tray/trayTemplate.png')
  await draw(shape, TRAY_SIZE, 2, 'tray/trayTemplate@2x.png')
} finally {
  await browser.close()
}

async function draw(picture: string, size: number, scale: number, name: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: size, height: size }, deviceScaleFactor: scale })
  const address = `data:image/svg+xml;base64,${Buffer.from(picture).toString('base64')}`
  await page.setContent(
    `<style>*{margin:0}img{display:block;width:${size}px;height:${size}px}</style><img src="${address}">`,
  )
  writeFileSync(join(OUT, name), await page.screenshot({ omitBackground: true }))
  await page.close()
}
