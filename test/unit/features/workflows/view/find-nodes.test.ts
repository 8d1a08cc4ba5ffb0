import { expect, test } from 'vitest'
import { readDocument } from '../../../../../src-main/features/workflows/rules/document/document.ts'
import { findNodes } from '../../../../../src-main/features/workflows/rules/find-nodes.ts'
import { bundledTypes, objectOf } from '../../../../support/workflow-files.ts'

const DOCUMENT = readDocument(
  objectOf(`{"nodes": [
    {"id": 3, "type": "KSampler", "widgets_values": [18446744073709551615, "fixed", 20, 8, "euler", "normal", 1]},
    {"id": 6, "type": "CLIPTextEncode", "title": "Prompt", "widgets_values": ["a very long text about a lighthouse on a cliff\\nat dusk with a KSampler in it, and more words"]},
    {"id": 9, "type": "sub"}], "links": [], "version": 0.4,
    "definitions": {"subgraphs": [{"id": "sub", "name": "Upscale", "nodes": [{"id": 1, "type": "ImageScale", "widgets_values": ["lanczos"]}, {"id": 2, "type": "sub"}], "links": [], "inputs": [], "outputs": []}]}}`),
)
const found = (text: string, most = 10) =>
  findNodes(DOCUMENT, bundledTypes(), { text, most }).map(
    ({ path, id, title, detail }) => `${[...path, id].join(':')} ${title} | ${detail}`,
  )

test('nodes are found by title, class, id and value, those with the words in their title first', () => {
  expect(found('ksampler')).toEqual([
    '3 KSampler | KSampler 3',
    '6 Prompt | …liff at dusk with a KSampler in it, and more words',
  ])
  expect(found('CLIPTextEncode')).toEqual(['6 Prompt | CLIPTextEncode 6'])
  expect(found('lighthouse CLIFF')).toEqual([
    '6 Prompt | …y long text about a lighthouse on a cliff at dusk with a KSa…',
  ])
  expect(found('18446744073709551615')).toEqual(['3 KSampler | 18446744073709551615'])
  expect(found('nothing like it')).toEqual([])
})

test('nodes within subgraphs are found with the way to them, and a subgraph within itself has an end', () => {
  expect(found('lanczos', 2)).toEqual(['9:1 Upscale Image | lanczos', '9:2:1 Upscale Image | lanczos'])
  expect(found('', 3)).toHaveLength(3)
})
