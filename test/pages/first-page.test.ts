import { expect, test } from 'vitest'
import { PAGE_SECTIONS } from '../../src-main/contract/pages.ts'
import { readBundles } from '../support/first-bundle.ts'

// Source: docs/spec/targets.md, 1.
const FIRST_BUNDLE_BYTES = 350 * 1024

const { sections, filesOf } = readBundles()

test('each section is a bundle of its own', () => {
  expect(sections).toHaveLength(PAGE_SECTIONS.length)
})

test.each(sections)('%s as the first page loads at most 25 files and 350 KiB, compressed', (section) => {
  const { files, compressedBytes } = filesOf(section)
  expect(files.length).toBeLessThanOrEqual(25)
  expect(files.filter((file) => /\.css$/.test(file))).not.toEqual([])
  expect(compressedBytes).toBeLessThan(FIRST_BUNDLE_BYTES)
})
