import * as Popover from '@radix-ui/react-popover'
import { Bookmark, X } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { z } from 'zod'
import { parseStored } from '../browser/local-texts.ts'
import { useApp } from '../store/app-context.ts'
import { Button, IconButton } from './Button.tsx'
import { CONTROL } from './form/Field.tsx'
import { Form } from './form/Form.tsx'

const views = z.array(z.object({ name: z.string(), search: z.string() }))

/** A view is an address, so it can be shared. */
export function SavedViews({ list }: { readonly list: string }) {
  const { platform } = useApp()
  const [location, go] = useLocation()
  const search = useSearch()
  const preference = `views.${list}`
  const [saved, setSaved] = useState(() => parseStored(views, platform.readPreference(preference)) ?? [])
  const [isOpen, setIsOpen] = useState(false)
  const [name, setName] = useState('')
  const current = saved.find((view) => view.search === search)
  const storeViews = (next: typeof saved) => {
    platform.writePreference(preference, JSON.stringify(next))
    setSaved(next)
  }
  const save = () => {
    const wanted = name.trim()
    if (wanted === '') return
    storeViews([...saved.filter((view) => view.name !== wanted), { name: wanted, search }])
    setName('')
    setIsOpen(false)
  }
  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger asChild>
        <Button>
          <Bookmark aria-hidden /> {current?.name ?? 'Views'}
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label="Saved views"
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className="enters z-40 w-72 rounded-control border border-line bg-surface-1 p-1 shadow-float"
        >
          {saved.length === 0 && (
            <p className="px-2 py-1 text-ink-2">Save the filters and sort order of this list under a name.</p>
          )}
          <ul>
            {saved.map((view) => (
              <li key={view.name} className="flex items-center">
                <button
                  type="button"
                  aria-current={view === current}
                  onClick={() => {
                    go(view.search === '' ? location : `${location}?${view.search}`)
                    setIsOpen(false)
                  }}
                  className="min-w-0 flex-1 truncate rounded-control px-2 py-1 text-left hover:bg-surface-2 aria-[current=true]:font-medium"
                >
                  {view.name}
                </button>
                <IconButton
                  label={`Remove view ${view.name}`}
                  onClick={() => storeViews(saved.filter((one) => one !== view))}
                >
                  <X />
                </IconButton>
              </li>
            ))}
          </ul>
          <Form onSubmit={save} className="mt-1 flex gap-1 border-t border-line p-1 pt-2">
            <input
              aria-label="Name of this view"
              placeholder="Name of this view"
              value={name}
              maxLength={60}
              onChange={({ target }) => setName(target.value)}
              className={`${CONTROL} h-7 min-w-0 flex-1`}
            />
            <Button type="submit" disabled={name.trim() === ''}>
              Save
            </Button>
          </Form>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
