/** What a tool has to say to the model when it cannot do what it was asked. Whatever else it throws is a defect of the tool. */
export class ToolProblem extends Error {}
