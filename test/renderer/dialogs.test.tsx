import { fireEvent, screen } from '@testing-library/react'
import { type ReactNode, useState } from 'react'
import { describe, expect, test } from 'vitest'
import { Confirm, SidePanel } from '../../src-renderer/ui/Dialog.tsx'
import { Field } from '../../src-renderer/ui/form/Field.tsx'
import { Form } from '../../src-renderer/ui/form/Form.tsx'
import { Menu } from '../../src-renderer/ui/Menu.tsx'
import { WideDialog } from '../../src-renderer/ui/WideDialog.tsx'
import { renderInApp, until } from './support.tsx'

type Draw = (isOpen: boolean, close: () => void) => ReactNode

const confirm: Draw = (isOpen, close) => (
  <Confirm open={isOpen} onOpenChange={close} action="Delete it" onConfirm={close}>
    It is lost.
  </Confirm>
)
const panel: Draw = (isOpen, close) => (
  <SidePanel open={isOpen} onOpenChange={close} title="New">
    <input />
  </SidePanel>
)
const wide: Draw = (isOpen, close) =>
  isOpen && (
    <WideDialog title="All" size="list" onClose={close}>
      <button type="button" onClick={close}>
        Close
      </button>
    </WideDialog>
  )

/** A page with two ways to a dialog, of which the button is gone once the dialog is closed if `goes`. */
function Opener({ draw, goes = false }: { readonly draw: Draw; readonly goes?: boolean }) {
  const [state, setState] = useState<'before' | 'open' | 'closed'>('before')
  const open = () => setState('open')
  return (
    <main id="content" tabIndex={-1}>
      {(!goes || state !== 'closed') && (
        <button type="button" onClick={open}>
          Open
        </button>
      )}
      <Menu groups={[[{ label: 'Open it', onSelect: open }]]}>
        <button type="button">More</button>
      </Menu>
      {draw(state === 'open', () => setState('closed'))}
    </main>
  )
}

const dialog = () => document.querySelector('[role$=dialog]')
const isFocused = (element: Element) => until(() => expect(document.activeElement).toBe(element))

/** Opens the dialog with the keyboard, and closes it. */
async function openAndClose(label: string | undefined) {
  const button = screen.getByRole('button', { name: 'Open' })
  button.focus()
  fireEvent.click(button)
  await until(() => expect(dialog()?.contains(document.activeElement)).toBe(true))
  if (label === undefined) fireEvent.keyDown(document.activeElement ?? document, { key: 'Escape' })
  else fireEvent.click(screen.getByRole('button', { name: label }))
  await until(() => expect(dialog()).toBe(null))
  return button
}

describe('the focus returns to the button that opened', () => {
  test.each([
    ['a question', confirm, 'Cancel'],
    ['a side panel', panel, 'Close'],
    ['a wide dialog', wide, 'Close'],
  ])('%s', async (_name, draw, label) => {
    renderInApp(<Opener draw={draw} />)
    await isFocused(await openAndClose(undefined))
    await isFocused(await openAndClose(label))
  })
})

test('the focus returns to the button of the menu that opened a dialog', async () => {
  renderInApp(<Opener draw={confirm} />)
  const more = screen.getByRole('button', { name: 'More' })
  more.focus()
  fireEvent.keyDown(more, { key: 'Enter' })
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Open it' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Delete it' }))
  await isFocused(more)
})

test('the focus goes to the content of the page when the button that opened a dialog is gone', async () => {
  renderInApp(<Opener draw={panel} goes />)
  await openAndClose(undefined)
  await isFocused(screen.getByRole('main'))
})

test('a required field that is empty says so in place of its hint, and takes the focus', () => {
  function Draft() {
    const [name, setName] = useState('')
    return (
      <Form onSubmit={() => undefined}>
        <Field label="Name" value={name} onChange={({ target }) => setName(target.value)} hint="An id." required />
        <button type="submit">Create</button>
      </Form>
    )
  }
  renderInApp(<Draft />)
  fireEvent.click(screen.getByRole('button', { name: 'Create' }))
  screen.getByText('Name is required.')
  const field = screen.getByLabelText('Name')
  expect(document.activeElement).toBe(field)
  fireEvent.change(field, { target: { value: 'a' } })
  screen.getByText('An id.')
})
