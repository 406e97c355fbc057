; C++ alone
(class_specifier name: (_) body: (_)) @class
(namespace_definition) @scope
