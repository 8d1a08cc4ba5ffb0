import { act, fireEvent, screen } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import { Inspector } from '../../../src-renderer/features/workflow-editor/inspector/Inspector.tsx'
import { documentOf, renderInEditor } from './widgets-support.tsx'

const PAUSE_MS = 500
const sampler = (id: number, steps: number) =>
  `{"id":${id},"type":"KSampler","widgets_values":[1,"fixed",${steps},8.0,"euler","normal",1]}`
const LINKED = documentOf([
  '{"id":4,"type":"CheckpointLoaderSimple","outputs":[{"name":"MODEL","type":"MODEL","links":[1]}],"widgets_values":["a.safetensors"]}',
  '{"id":3,"type":"KSampler","inputs":[{"name":"model","type":"MODEL","link":1}],"outputs":[{"name":"LATENT","type":"LATENT","links":[]}],"widgets_values":[1,"fixed",20,8.0,"euler","normal",1]}',
]).replace('"links":[],"groups"', '"links":[[1,4,0,3,0,"MODEL"]],"groups"')

function inspect(text: string, ...ids: readonly string[]) {
  const rendered = renderInEditor(<Inspector />, text)
  act(() => rendered.editor.getState().select(ids))
  return rendered
}

describe('with nothing selected', () => {
  test('the inspector counts the graph, and selects all nodes of a class', () => {
    const { editor } = inspect(
      documentOf([sampler(1, 1), sampler(2, 2), '{"id":3,"type":"SaveImage","widgets_values":["a"]}']),
    )
    expect(screen.getByText('Nodes').nextSibling?.textContent).toBe('3')
    fireEvent.click(screen.getByRole('button', { name: 'KSampler 2' }))
    expect([...editor.getState().selection]).toEqual(['1', '2'])
    screen.getByText('2 nodes')
  })

  test('and nothing in it, it says what to do first', () => {
    inspect(documentOf([]))
    screen.getByText(/Double-click the canvas to add a node/)
  })
})

describe('with a node selected', () => {
  test('its title is changed as one step; an empty one is that of its class', async () => {
    const { editor, written, platform } = inspect(documentOf([sampler(1, 20)]), '1')
    const title = screen.getByRole<HTMLInputElement>('textbox', { name: 'Title' })
    for (const value of ['M', 'Main']) {
      fireEvent.change(title, { target: { value } })
      await act(() => platform.advance(PAUSE_MS))
    }
    fireEvent.blur(title)
    expect(written()).toContain('"title":"Main"')
    expect(editor.getState().done.map(({ label }) => label)).toHaveLength(1)
    fireEvent.change(title, { target: { value: '' } })
    await act(() => platform.advance(PAUSE_MS))
    expect([title.value, written().includes('"title":"Main"')]).toEqual(['', true])
    fireEvent.blur(title)
    expect(written()).not.toContain('"title"')
    expect(title.value).toBe('KSampler')
  })

  test('mode and colour are set', () => {
    const { written } = inspect(documentOf([sampler(1, 20)]), '1')
    fireEvent.click(screen.getByRole('radio', { name: 'Bypassed' }))
    expect(written()).toContain('"mode":4')
    fireEvent.click(screen.getByRole('button', { name: 'Colour green' }))
    expect(written()).toContain('"color":"#232","bgcolor":"#353"')
    expect(screen.getByRole('button', { name: 'Colour green' }).getAttribute('aria-pressed')).toBe('true')
    fireEvent.click(screen.getByRole('button', { name: 'Colour no colour' }))
    expect(written()).not.toContain('color')
  })

  test('its inputs and outputs say what they are linked to, and lead there', () => {
    const { editor } = inspect(LINKED, '3')
    screen.getAllByText('not linked yet')
    fireEvent.click(screen.getByRole('button', { name: 'from Load Checkpoint' }))
    expect([...editor.getState().selection]).toEqual(['4'])
    fireEvent.click(screen.getByRole('button', { name: 'to KSampler' }))
    expect([...editor.getState().selection]).toEqual(['3'])
  })

  test('of an unknown class it says what that means', () => {
    inspect(documentOf(['{"id":1,"type":"Nobody","widgets_values":[1]}']), '1')
    screen.getByText(/does not have this class/)
  })

  test('it shows the models that the file names', () => {
    const text = documentOf(['{"id":1,"type":"VAELoader","widgets_values":["ae.safetensors"]}']).replace(
      '"properties":{}',
      '"properties":{"models":[{"name":"ae.safetensors","url":"https://example.org/ae","directory":"vae"}]}',
    )
    inspect(text, '1')
    screen.getByText('ae.safetensors', { selector: 'p' })
    screen.getByText('for the folder vae, from https://example.org/ae')
  })
})

describe('with several nodes selected', () => {
  test('a value of one class is set for all of them, as one step', () => {
    const { editor, written } = inspect(documentOf([sampler(1, 20), sampler(2, 30)]), '1', '2')
    const before = written()
    screen.getByText(/Values differ; the first is shown/)
    const steps = screen.getByRole('spinbutton', { name: 'steps of 2 nodes' })
    fireEvent.change(steps, { target: { value: '25' } })
    fireEvent.blur(steps)
    expect(written().match(/"fixed",25,/g)).toHaveLength(2)
    act(() => editor.getState().undo())
    expect(written()).toBe(before)
  })

  test('of very many only mode and colour are set, and it says so', () => {
    const ids = Array.from({ length: 101 }, (_id, at) => at + 1)
    inspect(documentOf(ids.map((id) => sampler(id, 20))), ...ids.map(String))
    screen.getByText('101 × KSampler')
    screen.getByText('Select at most 100 nodes of a class to set their values at once.')
    expect(screen.queryByRole('spinbutton')).toBe(null)
  })

  test('of several classes have mode and colour in common', () => {
    const { written } = inspect(
      documentOf([sampler(1, 20), '{"id":2,"type":"VAEDecode","widgets_values":[]}']),
      '1',
      '2',
    )
    expect(screen.queryByText('Shared values')).toBe(null)
    fireEvent.click(screen.getByRole('radio', { name: 'Muted' }))
    expect(written().match(/"mode":2/g)).toHaveLength(2)
  })
})

describe('within a subgraph', () => {
  const inner = `{"id":8,"type":"CLIPTextEncode","pos":[0,0],"size":[200,100],"flags":{},"order":0,"mode":0,"inputs":[],"outputs":[],"properties":{},"widgets_values":["a fox"]}`
  const boundary = '"inputNode":{"id":-10,"bounding":[0,0,1,1]},"outputNode":{"id":-20,"bounding":[0,0,1,1]}'
  const slot = '{"id":"s1","name":"clip","type":"CLIP","linkIds":[]}'
  const subgraph = `{"id":"inner-graph","version":1,"state":{},"revision":0,"name":"Inner",${boundary},"inputs":[${slot}],"outputs":[],"widgets":[],"nodes":[${inner}],"groups":[],"links":[],"extra":{}}`
  const host =
    '{"id":57,"type":"inner-graph","inputs":[{"name":"clip","type":"CLIP","link":null}],"outputs":[],"widgets_values":[]}'
  const text = documentOf([host], `,"definitions":{"subgraphs":[${subgraph}]}`)

  test('its name and the labels of its inputs are changed', () => {
    const { editor, written } = inspect(text)
    act(() => editor.getState().enter('57'))
    const type = (label: string, value: string) => {
      const field = screen.getByRole('textbox', { name: label })
      fireEvent.change(field, { target: { value } })
      fireEvent.blur(field)
    }
    type('Name of the subgraph', 'Prompts')
    type('Label of clip', 'reader')
    expect(written()).toContain('"name":"Prompts"')
    expect(written().match(/"label":"reader"/g)).toHaveLength(2)
    expect(editor.getState().done).toHaveLength(2)
  })

  test('a widget is shown on the node outside, set there, and hidden again', () => {
    const { editor, written } = inspect(text, '57')
    fireEvent.click(screen.getByRole('button', { name: 'Open the subgraph' }))
    act(() => editor.getState().select(['8']))
    fireEvent.click(screen.getByRole('button', { name: /^More for text/ }))
    fireEvent.click(screen.getByRole('menuitem', { name: 'Show it on the subgraph' }))
    act(() => editor.getState().enter(undefined))
    act(() => editor.getState().select(['57']))
    const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'text of Inner' })
    expect(field.value).toBe('a fox')
    fireEvent.change(field, { target: { value: 'a cat' } })
    fireEvent.blur(field)
    expect(written()).toContain('"widgets_values":["a cat"]')
    fireEvent.click(screen.getByRole('button', { name: 'More for text of Inner' }))
    fireEvent.click(screen.getByRole('menuitem', { name: 'Hide it here' }))
    expect(screen.queryByRole('textbox', { name: 'text of Inner' })).toBe(null)
    expect(written()).toContain('"widgets_values":["a cat"]')
  })
})
