import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AssetView } from '../../../src-main/contract/workflows.ts'
import { giveSizes } from '../support.tsx'
import { renderWidgets, typesWith } from './widgets-support.tsx'

const MOST = '18446744073709551615'
const SAMPLER = `{"id":1,"type":"KSampler","widgets_values":[${MOST},"randomize",20,8.0,"euler","normal",1]}`
// Longer than what a field waits for after the last key.
const PAUSE_MS = 500

const number = (name: string) => screen.getByRole<HTMLInputElement>('spinbutton', { name })
const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } })

let takeSizes = () => {}
beforeEach(() => {
  takeSizes = giveSizes()
})
afterEach(() => takeSizes())

describe('a number', () => {
  test('is shown and kept to the last digit', async () => {
    const { written, platform } = renderWidgets(SAMPLER)
    expect(number('seed of KSampler').value).toBe(MOST)
    expect(number('cfg of KSampler').value).toBe('8.0')
    type(number('seed of KSampler'), '18446744073709551613')
    await act(() => platform.advance(PAUSE_MS))
    expect(written()).toContain('[18446744073709551613,"randomize",20,8.0,')
  })

  test('that is typed is one undo step until the field loses focus', async () => {
    const { editor, written, platform } = renderWidgets(SAMPLER)
    const before = written()
    const steps = number('steps of KSampler')
    for (const typed of ['2', '25', '250']) {
      type(steps, typed)
      await act(() => platform.advance(PAUSE_MS))
    }
    fireEvent.blur(steps)
    type(steps, '30')
    fireEvent.blur(steps)
    expect(editor.getState().done.map(({ label }) => label)).toEqual(Array(2).fill('Set steps of KSampler'))
    act(() => editor.getState().undo())
    expect(steps.value).toBe('250')
    act(() => editor.getState().undo())
    expect([steps.value, written()]).toEqual(['20', before])
  })

  test('that is invalid leaves the value unchanged and shows an error', async () => {
    const { written, platform } = renderWidgets(SAMPLER)
    const before = written()
    const cfg = number('cfg of KSampler')
    type(cfg, '8,5')
    await act(() => platform.advance(PAUSE_MS))
    expect([cfg.getAttribute('aria-invalid'), cfg.value, written()]).toEqual(['true', '8,5', before])
    fireEvent.blur(cfg)
    expect([cfg.getAttribute('aria-invalid'), cfg.value]).toEqual(['false', '8.0'])
  })

  test('out of range is reported instead of clamped', async () => {
    const { platform, written } = renderWidgets(SAMPLER)
    type(number('cfg of KSampler'), '101')
    await act(() => platform.advance(PAUSE_MS))
    screen.getByText('Is 101, but the maximum is 100.0.')
    expect(number('cfg of KSampler').getAttribute('aria-invalid')).toBe('true')
    expect(written()).toContain(',101,')
  })

  test('steps by arrows and buttons, with Shift by ten, from what is typed', () => {
    const { editor } = renderWidgets(SAMPLER)
    const cfg = number('cfg of KSampler')
    fireEvent.keyDown(cfg, { key: 'ArrowUp' })
    expect(cfg.value).toBe('8.1')
    fireEvent.keyDown(cfg, { key: 'ArrowDown', shiftKey: true })
    expect(cfg.value).toBe('7.1')
    type(cfg, '3')
    fireEvent.keyDown(cfg, { key: 'ArrowUp' })
    expect(cfg.value).toBe('3.1')
    fireEvent.blur(cfg)
    expect(editor.getState().done).toHaveLength(1)
    fireEvent.click(screen.getByRole('button', { name: 'Increase seed of KSampler' }))
    expect(number('seed of KSampler').value).toBe(MOST)
    fireEvent.click(screen.getByRole('button', { name: 'Decrease seed of KSampler' }))
    expect(number('seed of KSampler').value).toBe('18446744073709551614')
  })

  test('is dragged over as one step of undo', () => {
    const { editor } = renderWidgets(SAMPLER)
    const steps = number('steps of KSampler')
    steps.setPointerCapture = () => {}
    fireEvent.pointerDown(steps, { button: 0, clientX: 100 })
    for (const clientX of [102, 110, 140]) fireEvent.pointerMove(steps, { clientX })
    fireEvent.pointerUp(steps, {})
    expect([steps.value, editor.getState().done.length]).toEqual(['30', 1])
  })

  test('keeps what is typed when it is run, undone or left at once, or the window goes', () => {
    const { written, unmount, platform } = renderWidgets(SAMPLER)
    type(number('steps of KSampler'), '21')
    fireEvent.keyDown(number('steps of KSampler'), { key: 'Enter', ctrlKey: true })
    expect(written()).toContain(',21,')
    type(number('steps of KSampler'), '22')
    act(() => platform.show(false))
    expect(written()).toContain(',22,')
    type(number('steps of KSampler'), '23')
    unmount()
    expect(written()).toContain(',23,')
  })

  test('that changes elsewhere during typing is not overwritten', async () => {
    const { editor, platform } = renderWidgets(SAMPLER)
    fireEvent.click(screen.getByRole('button', { name: 'Increase steps of KSampler' }))
    const steps = number('steps of KSampler')
    type(steps, '2100')
    act(() => editor.getState().undo())
    await act(() => platform.advance(PAUSE_MS))
    fireEvent.blur(steps)
    expect([steps.value, editor.getState().done.length]).toEqual(['20', 0])
  })

  test('with a step that its node counts in says which ones fit', () => {
    renderWidgets('{"id":1,"type":"EmptyLatentImage","widgets_values":[515,512,1]}')
    screen.getByText('The step size allows 512 or 520.')
  })
})

describe('a seed', () => {
  test('gets a new random one over the whole range', () => {
    const { written } = renderWidgets(SAMPLER)
    fireEvent.click(screen.getByRole('button', { name: 'New random seed of KSampler' }))
    expect(written()).not.toContain(MOST)
    expect(BigInt(number('seed of KSampler').value)).toBeGreaterThanOrEqual(0n)
  })

  test('takes that of the last run, exactly', async () => {
    const payload = `{"1":{"class_type":"KSampler","inputs":{"seed":18446744073709551557}}}`
    const { runs, calls } = renderWidgets(SAMPLER, { answers: { runRead: { payload } } })
    const last = screen.getByRole<HTMLButtonElement>('button', { name: 'Use seed of KSampler of the last run' })
    expect(last.disabled).toBe(true)
    act(() => runs.getState().set({ shown: { id: 'job-1' } as never }))
    fireEvent.click(last)
    await waitFor(() => expect(number('seed of KSampler').value).toBe('18446744073709551557'))
    expect(calls).toEqual([{ operation: 'runRead', args: { path: { runId: 'job-1' } } }])
  })

  test('says how it changes after each run', () => {
    const { written } = renderWidgets(SAMPLER)
    const control = screen.getByRole('combobox', { name: 'seed after each run of KSampler' })
    expect([control.textContent, document.querySelectorAll('select, option, [role=option]').length]).toEqual([
      'after each runrandomize',
      0,
    ])
    fireEvent.keyDown(control, { key: 'ArrowDown' })
    const list = within(screen.getByRole('dialog', { name: 'seed after each run of KSampler' }))
    list.getByRole('option', { name: 'randomize a new random one', selected: true })
    fireEvent.keyDown(list.getByRole('combobox'), { key: 'ArrowUp' })
    fireEvent.keyDown(list.getByRole('combobox'), { key: 'ArrowUp' })
    fireEvent.keyDown(list.getByRole('combobox'), { key: 'Enter' })
    expect(screen.queryByRole('listbox')).toBe(null)
    expect(written()).toContain(`[${MOST},"increment",20`)
  })
})

describe('a choice', () => {
  const open = (name: string) => {
    fireEvent.click(screen.getByRole('combobox', { name }))
    return within(screen.getByRole('dialog', { name }))
  }

  test('is searched, moved in and chosen by keys', async () => {
    const { written } = renderWidgets(SAMPLER)
    const list = open('sampler_name of KSampler')
    const search = list.getByRole('combobox')
    type(search, 'dpmpp_2m')
    await waitFor(() => expect(list.getAllByRole('option').length).toBeGreaterThan(1))
    expect(list.getAllByRole('option')[0]?.textContent).toBe('dpmpp_2m')
    fireEvent.keyDown(search, { key: 'ArrowDown' })
    fireEvent.keyDown(search, { key: 'Enter' })
    expect(written()).toContain('"dpmpp_2m_cfg_pp"')
    expect(screen.queryByRole('listbox')).toBe(null)
  })

  test('of ten thousand options renders only the visible ones', async () => {
    const names = Array.from({ length: 10_000 }, (_name, at) => `"model ${at}.safetensors"`)
    const types = typesWith(`{"Load":{"input":{"required":{"name":[[${names}]]}},"output":["MODEL"]}}`)
    renderWidgets('{"id":1,"type":"Load","widgets_values":["model 3.safetensors"]}', { types })
    const list = open('name of Load')
    await waitFor(() => expect(list.getAllByRole('option').length).toBeGreaterThan(3))
    expect(list.getAllByRole('option').length).toBeLessThan(100)
    list.getByRole('option', { name: 'model 3.safetensors', selected: true })
  })

  test('with unknown options accepts typed text', () => {
    const types = typesWith('{"Load":{"input":{"required":{"name":[[]]}},"output":["MODEL"]}}')
    const { written } = renderWidgets('{"id":1,"type":"Load","widgets_values":[""]}', { types })
    const field = screen.getByRole('textbox', { name: 'name of Load' })
    expect(field.closest('[title]')?.getAttribute('title')).toMatch(/^The endpoint does not list the values/)
    type(field, 'mine.safetensors')
    fireEvent.keyDown(field, { key: 'Enter' })
    expect(written()).toContain('["mine.safetensors"]')
  })

  test('without a value shows a message', () => {
    const types = typesWith('{"Load":{"input":{"required":{"name":[[]]}},"output":["MODEL"]}}')
    renderWidgets('{"id":1,"type":"Load","widgets_values":[null]}', { types })
    expect(screen.getByRole('textbox', { name: 'name of Load', description: 'Has no value.' })).toBeTruthy()
  })

  test('that is not in the list shows a message', () => {
    renderWidgets(SAMPLER.replace('"euler"', '"gone"'))
    screen.getByText(/^Has "gone", which is not one of its choices/)
  })
})

test('a switch has the words of its class', () => {
  const types = typesWith(
    '{"S":{"input":{"required":{"add":["BOOLEAN",{"default":true,"label_on":"with noise","label_off":"without"}]}},"output":[]}}',
  )
  const { written } = renderWidgets('{"id":1,"type":"S","widgets_values":[true]}', { types })
  const toggle = screen.getByRole('switch', { name: 'add of S', checked: true })
  expect(toggle.textContent).toContain('with noise')
  fireEvent.click(toggle)
  expect(toggle.textContent).toContain('without')
  expect(written()).toContain('[false]')
})

test('lines of text change the weight of a word with Ctrl and the arrows', async () => {
  const { written, platform } = renderWidgets('{"id":1,"type":"CLIPTextEncode","widgets_values":["a red fox"]}')
  const text = screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^text of / })
  text.setSelectionRange(3, 3)
  fireEvent.keyDown(text, { key: 'ArrowUp', ctrlKey: true })
  fireEvent.keyDown(text, { key: 'ArrowUp', ctrlKey: true })
  await act(() => platform.advance(PAUSE_MS))
  expect(text.value).toBe('a (red:1.1) fox')
  expect(written()).toContain('["a (red:1.1) fox"]')
})

test('lines of text take the wheel from the canvas only where there is more of them than is seen; numbers never', () => {
  renderWidgets('{"id":1,"type":"CLIPTextEncode","widgets_values":["a red fox"]}')
  const text = screen.getByRole('textbox', { name: /^text of / })
  const takesWheel = (height: number) => {
    Object.defineProperties(text, {
      scrollHeight: { value: height, configurable: true },
      clientHeight: { value: 50, configurable: true },
    })
    fireEvent.pointerEnter(text)
    return text.closest('.nowheel') !== null
  }
  expect([takesWheel(50), takesWheel(51)]).toEqual([false, true])
  renderWidgets(SAMPLER)
  expect(number('steps of KSampler').closest('.nowheel')).toBeNull()
})

test('a value without a control of its own is JSON, and taken over once it is some', async () => {
  const types = typesWith('{"B":{"input":{"required":{"box":["BOUNDING_BOX",{}]}},"output":[]}}')
  const { written, platform } = renderWidgets('{"id":1,"type":"B","widgets_values":[{"x":1.0}]}', { types })
  const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'box of B' })
  expect(field.value).toBe('{"x":1.0}')
  type(field, '{"x":1.0,')
  await act(() => platform.advance(PAUSE_MS))
  screen.getByText('This is not valid JSON yet; the value is unchanged.')
  type(field, '{"x":18446744073709551615}')
  await act(() => platform.advance(PAUSE_MS))
  expect(written()).toContain('[{"x":18446744073709551615}]')
})

test('values of an unknown class are shown by what they are, and can be changed', async () => {
  const { written } = renderWidgets('{"id":1,"type":"Nobody","widgets_values":[3,"a",true,null,[1,2]]}')
  fireEvent.click(screen.getByRole('button', { name: 'Increase value 1 of Nobody' }))
  expect(number('value 1 of Nobody').value).toBe('4')
  type(number('value 1 of Nobody'), '4.25')
  fireEvent.blur(number('value 1 of Nobody'))
  fireEvent.click(screen.getByRole('switch', { name: 'value 3 of Nobody' }))
  expect(written()).toContain('[4.25,"a",false,null,[1,2]]')
})

describe('the menu of a widget', () => {
  const menuOf = (name: string) => {
    fireEvent.contextMenu(number(name))
    return within(screen.getByRole('menu'))
  }

  test('makes it an input and back, and resets it', async () => {
    const { written, editor } = renderWidgets(SAMPLER)
    const before = written()
    expect(menuOf('cfg of KSampler').queryByText('Back to a widget')).toBe(null)
    fireEvent.click(within(screen.getByRole('menu')).getByText('Make it an input'))
    expect(written()).toContain('"widget":{"name":"cfg"}')
    fireEvent.click(menuOf('cfg of KSampler').getByText('Back to a widget'))
    expect(written()).not.toContain('"widget":{"name":"cfg"}')
    fireEvent.click(menuOf('steps of KSampler').getByText('Reset to default'))
    act(() => editor.getState().undo())
    act(() => editor.getState().undo())
    act(() => editor.getState().undo())
    expect(written()).toBe(before)
  })
})

test('a linked widget says where its value comes from, and leads there', () => {
  const linked = '"inputs":[{"name":"steps","type":"INT","link":7,"widget":{"name":"steps"}}]'
  const source =
    '{"id":2,"type":"PrimitiveInt","outputs":[{"name":"INT","type":"INT","links":[7]}],"widgets_values":[5]}'
  const { editor } = renderWidgets(SAMPLER.replace('"type"', `${linked},"type"`), {
    more: [source],
    links: '[7,2,0,1,0,"INT"]',
  })
  expect(screen.queryByRole('spinbutton', { name: 'steps of KSampler' })).toBe(null)
  fireEvent.click(screen.getByRole('button', { name: /^from/ }))
  expect([...editor.getState().selection]).toEqual(['2'])
})

describe('in the inspector', () => {
  test('a widget has its name above, its help below and a menu at a button', () => {
    const types = typesWith(
      '{"T":{"input":{"required":{"strength":["FLOAT",{"default":1.0,"display_name":"Strength","tooltip":"How much it does."}]}},"output":[]}}',
    )
    renderWidgets('{"id":1,"type":"T","widgets_values":[0.5]}', { types, size: 'panel' })
    screen.getByText('How much it does.')
    fireEvent.click(screen.getByRole('button', { name: 'More for Strength of T' }))
    fireEvent.click(within(screen.getByRole('menu')).getByText('Reset to default'))
    expect(number('Strength of T').value).toBe('1.0')
  })
})

test('a file is sent under its SHA-256, and chosen', async () => {
  const kept: AssetView[] = []
  const answers = {
    assetFind: ({ query }: { readonly query?: { readonly name: string } }) => ({
      assets: kept.filter(({ name }) => query === undefined || name === query.name),
    }),
    assetWrite: (args: { readonly path: { readonly asset: string }; readonly query: { readonly name: string } }) => {
      kept.push({ id: args.path.asset, name: args.query.name, bytes: 3, mediaType: 'image/png', createdAt: 1 })
      return kept[0]
    },
  }
  const { written, calls } = renderWidgets('{"id":1,"type":"LoadImage","widgets_values":["","image"]}', { answers })
  const file = new File(['abc'], 'cat.png', { type: 'image/png' })
  fireEvent.change(screen.getByLabelText('File for image of Load Image'), { target: { files: [file] } })
  await waitFor(() => expect(written()).toContain('["cat.png","image"]'))
  const sha = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  expect(calls.find(({ operation }) => operation === 'assetWrite')?.args).toMatchObject({
    path: { asset: sha },
    query: { name: 'cat.png' },
  })
  const picture = await screen.findByRole<HTMLImageElement>('img', { name: 'cat.png' })
  expect(picture.getAttribute('src')).toBe(`/api/assets/${sha}`)
})

test('a widget is drawn again only when it has changed', async () => {
  const { container, platform } = renderWidgets(SAMPLER)
  const others = () =>
    [...container.querySelectorAll('input, select')].filter(
      (one) => one.getAttribute('aria-label') !== 'steps of KSampler',
    )
  const before = others()
  type(number('steps of KSampler'), '33')
  await act(() => platform.advance(PAUSE_MS))
  expect(others()).toEqual(before)
})
