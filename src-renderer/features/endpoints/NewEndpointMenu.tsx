import { AppWindow, Container, FileCode, Globe, LayoutGrid, Plus, SquareTerminal } from 'lucide-react'
import { useLocation } from 'wouter'
import { ADDRESS } from '../../addresses.ts'
import { Button } from '../../ui/Button.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { NewEndpoint } from './new-endpoint.ts'

export function NewEndpointMenu({ onNew }: { readonly onNew: (kind: NewEndpoint) => void }) {
  const [, go] = useLocation()
  return (
    <Menu
      groups={[
        [
          {
            label: 'Handler file',
            detail: 'A file with a handler, in Python or TypeScript',
            icon: <FileCode />,
            onSelect: () => onNew('handler'),
          },
          {
            label: 'Command',
            detail: 'A program that takes jobs with a worker SDK',
            icon: <SquareTerminal />,
            onSelect: () => onNew('command'),
          },
          {
            label: 'Web app',
            detail: 'A program that answers HTTP, load-balanced',
            icon: <Globe />,
            onSelect: () => onNew('web'),
          },
          {
            label: 'Image',
            detail: 'An image that takes jobs or answers HTTP',
            icon: <Container />,
            onSelect: () => onNew('image'),
          },
        ],
        [
          {
            label: 'App folder',
            detail: 'Endpoints of decorated functions',
            icon: <AppWindow />,
            onSelect: () => go(ADDRESS.apps),
          },
          {
            label: 'Catalog',
            detail: 'Ready images and small handlers',
            icon: <LayoutGrid />,
            onSelect: () => go(ADDRESS.catalog),
          },
        ],
      ]}
    >
      <Button kind="main">
        <Plus aria-hidden /> New endpoint
      </Button>
    </Menu>
  )
}
