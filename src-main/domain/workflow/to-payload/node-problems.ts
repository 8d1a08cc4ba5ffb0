/** What of a node cannot be taken over into a payload. Source: editor research, 1 and 2. */
import type { GraphNode } from '../document/document.ts'
import type { Problem } from '../problem.ts'
import { setterOf } from './find-source.ts'
import { isGroupNode } from './open-group-nodes.ts'
import { isEverywhere, payloadId, type Scope, whyClosed } from './scope.ts'

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/** What cannot be taken over; undefined where nothing is in the way. */
export function nodeProblem(scope: Scope, node: GraphNode): Problem | undefined {
  const { type = '' } = node
  const id = payloadId(scope, node.id ?? '')
  const warning = (code: Problem['code'], message: string): Problem => ({
    code,
    severity: 'warning',
    node: id,
    message,
  })
  const error = (code: Problem['code'], message: string): Problem => ({ code, severity: 'error', node: id, message })
  const closed = whyClosed(scope, node)
  if (closed === 'within itself') return error('cycle', 'The subgraph of the node is within itself. Remove the node.')
  if (closed === 'too deep') return error('too_large', 'The node is within too many subgraphs. Dissolve some of them.')
  if (type === 'GetNode' && setterOf(scope, node) === undefined)
    return warning('needs_extension', 'Nothing sets what the node takes by its name. Link its targets directly.')
  if (isEverywhere(node))
    return warning(
      'needs_extension',
      `${type} sends its inputs without links, by the code of an extension. Link them to the nodes that need them.`,
    )
  if (isGroupNode(node) && !scope.definitions.has(type))
    return error(
      'needs_extension',
      'It is a group node, as older editors have them. Open the file in its editor and make it a subgraph.',
    )
  if (UUID.test(type) && !scope.definitions.has(type))
    return error('subgraph_missing', 'The subgraph of the node is not in the file. Open the file that it came from.')
  return undefined
}
