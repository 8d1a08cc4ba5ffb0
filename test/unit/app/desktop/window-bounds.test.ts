import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSettings, restoreBounds, SMALLEST } from '../../../../src-main/app/desktop/desktop-settings.ts'

const LAPTOP = { x: 0, y: 25, width: 1440, height: 875 }
const EXTERNAL = { x: 1440, y: 0, width: 2560, height: 1440 }

describe('the window', () => {
  test('opens centered on the primary screen on first start, clipped to it', () => {
    expect(restoreBounds(undefined, [EXTERNAL])).toEqual({ x: 2000, y: 270, width: 1440, height: 900 })
    expect(restoreBounds(undefined, [LAPTOP])).toEqual({ x: 0, y: 25, width: 1440, height: 875 })
  })

  test('opens at its last position', () => {
    const last = { x: 1600, y: 100, width: 1200, height: 800 }
    expect(restoreBounds(last, [LAPTOP, EXTERNAL])).toEqual(last)
  })

  test('moves to another screen with the same size if its own is gone', () => {
    const last = { x: 1600, y: 100, width: 1200, height: 800 }
    expect(restoreBounds(last, [LAPTOP])).toEqual({ x: 120, y: 63, width: 1200, height: 800 })
  })

  test('is moved and clipped to the screen that shows most of it', () => {
    expect(restoreBounds({ x: -300, y: -50, width: 3000, height: 2000 }, [LAPTOP])).toEqual(LAPTOP)
    expect(restoreBounds({ x: 1000, y: 600, width: 1000, height: 700 }, [LAPTOP])).toMatchObject({ x: 440, y: 200 })
  })

  test('is always within a screen and at least the minimum size', () => {
    const side = fc.integer({ min: -100_000, max: 100_000 })
    const size = fc.integer({ min: 1, max: 100_000 })
    fc.assert(
      fc.property(side, side, size, size, (x, y, width, height) => {
        const place = restoreBounds({ x, y, width, height }, [LAPTOP, EXTERNAL])
        const within = [LAPTOP, EXTERNAL].some(
          (screen) =>
            place.x >= screen.x &&
            place.y >= screen.y &&
            place.x + place.width <= screen.x + screen.width &&
            place.y + place.height <= screen.y + screen.height,
        )
        expect(within && place.width >= SMALLEST.width && place.height >= SMALLEST.height).toBe(true)
      }),
    )
  })
})

describe('desktop settings', () => {
  function setup(content?: string) {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-settings-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'settings.json')
    if (content !== undefined) writeFileSync(file, content)
    const faults: unknown[] = []
    const open = () => openSettings(file, (error) => faults.push(error))
    return { file, open, faults, folder }
  }
  const defaults = { notifications: true, keepInTray: true, toldOfTray: false }

  test('are saved in a file that only the user can read', () => {
    const { file, open } = setup()
    const window = { bounds: LAPTOP, maximised: true }
    open().change({ notifications: false, window })
    expect(open().read()).toEqual({ ...defaults, notifications: false, window })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test.each(['', '{', 'null', '[]', '"x"', '{"notifications":1,"window":{"bounds":{}}}'])(
    'fall back to the defaults if the file contains %j',
    (content) => {
      expect(setup(content).open().read()).toMatchObject(defaults)
    },
  )

  test('keep the valid values of a partly damaged file', () => {
    const content = '{"notifications":false,"window":{"bounds":{"x":"far"}},"other":1}'
    expect(setup(content).open().read()).toEqual({ ...defaults, notifications: false, window: undefined })
  })

  test('that cannot be saved are reported and stay in effect until the desktop quits', () => {
    const { file, folder, open, faults } = setup()
    const settings = open()
    rmSync(folder, { recursive: true })
    settings.change({ keepInTray: false })
    expect(settings.read().keepInTray).toBe(false)
    expect(faults).toHaveLength(1)
    expect(() => readFileSync(file)).toThrow()
  })
})
