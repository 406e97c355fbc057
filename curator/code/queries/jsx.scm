; Elements in JavaScript and TypeScript
(parenthesized_expression [(jsx_element) (jsx_self_closing_element)]) @paren
