/**
 * Published graphs: a graph as an endpoint of its own, with some inputs of its nodes as parameters. Values travel as JSON
 * texts where numbers of JavaScript would round them. Source: image-workflows, Published graphs.
 */
import { z } from 'zod'
import { workflowId } from './workflows.ts'

/** What kinds of values a parameter may have. `image`: bytes as base64 or a data URI, for a node that loads a picture. */
export const PARAMETER_TYPES = ['string', 'integer', 'number', 'boolean', 'choice', 'image'] as const

/** A kind of value. */
export type ParameterType = (typeof PARAMETER_TYPES)[number]

const number = z.string().regex(/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/, 'must be a number, written as text')

/** An input of a node that is set from outside. */
export const graphParameter = z
  .strictObject({
    name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'must be a name: letters, digits and _, at most 64'),
    node: z.string().min(1).max(200).describe('id of the node, as the payload has it'),
    input: z.string().min(1).max(200),
    type: z.enum(PARAMETER_TYPES),
    title: z.string().max(200).optional().describe('what a person reads; the name without it'),
    help: z.string().max(2000).optional(),
    default: z.string().max(1_000_000).optional().describe('JSON; without it the value is to be given'),
    min: number.optional(),
    max: number.optional(),
    choices: z.array(z.string().max(1000)).max(10_000).optional().describe('of `choice`: what it may be'),
  })
  .refine(({ type, choices }) => type !== 'choice' || (choices?.length ?? 0) > 0, {
    message: 'a choice needs its choices',
    path: ['choices'],
  })

/** A parameter. */
export type GraphParameter = z.infer<typeof graphParameter>

/** What an endpoint is that runs a graph: another one does the work. */
export const publishedPlace = z.object({
  behind: z.string().describe('id of the endpoint whose workers run it'),
  version: z.number().int().min(1).describe('that runs now'),
})

/** A version of a published graph. */
export const graphVersion = z.object({
  version: z.number().int(),
  createdAt: z.number().int(),
  parameters: z.array(graphParameter),
  results: z.array(z.string()).describe('ids of the nodes whose results are answered; none: all of them'),
})

/** A version. */
export type GraphVersion = z.infer<typeof graphVersion>

/** A published graph. */
export const publishedGraph = graphVersion.extend({
  id: z.string().describe('also the id of its endpoint'),
  name: z.string(),
  behind: z.string(),
  workflowId: workflowId.optional(),
  versions: z.array(z.number().int()),
  url: z.string().describe('base address for clients of the job API'),
})

/** A published graph. */
export type PublishedGraph = z.infer<typeof publishedGraph>

/** Body of 'publish a graph'; where the id is one of a published graph, it is its next version. */
export const publishGraph = z
  .strictObject({
    id: z.string().max(40).optional(),
    name: z.string().trim().min(1).max(100),
    behind: z.string(),
    payload: z.string().describe('JSON of the payload'),
    document: z.string().optional().describe('JSON of the document that it was made of'),
    workflowId: workflowId.optional(),
    parameters: z.array(graphParameter).max(200),
    results: z.array(z.string().max(200)).max(1000).default([]),
  })
  .superRefine(({ parameters }, context) => {
    const names = new Set<string>()
    parameters.forEach(({ name }, at) => {
      if (names.has(name))
        context.addIssue({ code: 'custom', message: 'is the name of two parameters', path: ['parameters', at, 'name'] })
      names.add(name)
    })
  })

/** What is published. */
export type PublishGraph = z.infer<typeof publishGraph>
