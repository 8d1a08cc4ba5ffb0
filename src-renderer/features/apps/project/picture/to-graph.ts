import { createElement } from 'react'
import type { Manifest } from '../../../../../src-main/contract/manifest.ts'
import type { ProjectDetail } from '../../../../../src-main/contract/projects.ts'
import type { GraphItem, GraphLink } from '../../../../ui/graph/Graph.tsx'
import { answersOf } from './describe-endpoint.ts'
import { EndpointBox } from './EndpointBox.tsx'

const WIDTH = 232
const HEAD_HEIGHT = 54
const LINE_HEIGHT = 18
const PADDING = 10
const MOST_LINES = 5

/** The boxes and arrows of an app. */
export function toGraph(
  manifest: Manifest,
  calls: ProjectDetail['calls'],
): { readonly items: readonly GraphItem[]; readonly links: readonly GraphLink[] } {
  const items = Object.entries(manifest.resources).map(([name, resource]): GraphItem => {
    const answers = answersOf(manifest, name)
    const lines = shortened(answers)
    return {
      id: name,
      width: WIDTH,
      height: HEAD_HEIGHT + lines.length * LINE_HEIGHT + (lines.length === 0 ? 0 : PADDING),
      content: createElement(EndpointBox, { name, resource, lines }),
    }
  })
  const links = calls.map(({ from, to, functions }) => ({ from, to, label: shortened(functions, 2).join(', ') }))
  return { items, links }
}

function shortened(lines: readonly string[], most = MOST_LINES): readonly string[] {
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), `${lines.length - most + 1} more`]
}
